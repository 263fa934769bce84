import { MigrationMismatch } from "./errors.ts";
import type { Sql } from "./sql.ts";

export interface Migration {
  readonly name: string;
  /** One statement each: a prepared statement cannot hold more. */
  readonly statements: readonly string[];
}

/** In order; a released migration is never changed. LangGraph's checkpointer manages its own tables. */
export const MIGRATIONS: readonly Migration[] = [
  {
    name: "001-log",
    statements: [
      `CREATE TABLE log (
         seq bigint PRIMARY KEY,
         time bigint NOT NULL,
         kind text NOT NULL,
         subjects text[] NOT NULL,
         content text,
         prev text NOT NULL,
         hash text NOT NULL UNIQUE
       )`,
      "CREATE INDEX log_subjects ON log USING gin (subjects)",
      "CREATE INDEX log_kind ON log (kind, seq)",
    ],
  },
  {
    name: "002-outbox",
    statements: [
      `CREATE TABLE outbox (
         seq bigserial PRIMARY KEY,
         intent text NOT NULL UNIQUE,
         signer text NOT NULL,
         nonce bigint NOT NULL,
         target text,
         raw text NOT NULL,
         hash text NOT NULL UNIQUE,
         status text NOT NULL DEFAULT 'signed' CHECK (status IN ('signed', 'success', 'reverted')),
         block bigint,
         UNIQUE (signer, nonce)
       )`,
      "CREATE INDEX outbox_open ON outbox (seq) WHERE status = 'signed'",
      "CREATE INDEX outbox_block ON outbox (block)",
    ],
  },
  {
    name: "003-answers",
    statements: [
      `CREATE TABLE answers (
         session text NOT NULL,
         agent text NOT NULL,
         step text NOT NULL,
         round integer NOT NULL,
         answer text NOT NULL,
         PRIMARY KEY (session, agent, step, round)
       )`,
    ],
  },
  {
    name: "004-hub",
    statements: [
      `CREATE TABLE hub_events (
         sequence bigint PRIMARY KEY,
         "eventId" text NOT NULL UNIQUE,
         "missionId" text NOT NULL,
         epoch integer NOT NULL,
         "eventType" text,
         "emitterContract" text NOT NULL,
         "primaryEntity" text,
         "secondaryEntity" text,
         "nodeId" smallint,
         "payloadHash" text NOT NULL,
         "payloadCid" text NOT NULL,
         "blockNumber" bigint NOT NULL,
         timestamp bigint NOT NULL,
         "gasUsed" bigint NOT NULL,
         name text NOT NULL,
         "blockHash" text,
         "transactionHash" text,
         "logIndex" integer,
         record bigint UNIQUE,
         corrects text UNIQUE,
         prev text NOT NULL,
         hash text NOT NULL UNIQUE,
         payload text
       )`,
      'CREATE INDEX hub_by_mission ON hub_events ("missionId", sequence)',
      'CREATE INDEX hub_by_contract ON hub_events ("emitterContract", sequence)',
      'CREATE INDEX hub_by_type ON hub_events ("eventType", sequence)',
      "CREATE INDEX hub_by_name ON hub_events (name, sequence)",
      'CREATE INDEX hub_by_node ON hub_events ("missionId", "nodeId", sequence)',
      "CREATE INDEX hub_by_epoch ON hub_events (epoch, sequence)",
      "CREATE INDEX hub_by_time ON hub_events (timestamp, sequence)",
      'CREATE INDEX hub_by_block ON hub_events ("blockNumber", sequence)',
      'CREATE INDEX hub_by_payload ON hub_events ("payloadCid")',
      "CREATE TABLE hub_parties (address text NOT NULL, sequence bigint NOT NULL, PRIMARY KEY (address, sequence))",
      "CREATE INDEX hub_parties_of ON hub_parties (sequence)",
      "CREATE TABLE hub_principals (address text NOT NULL, sequence bigint NOT NULL, PRIMARY KEY (address, sequence))",
      `CREATE TABLE hub_missions (
         id text PRIMARY KEY,
         legislature text NOT NULL,
         session text NOT NULL,
         epoch integer NOT NULL,
         mission text UNIQUE
       )`,
      "CREATE TABLE hub_accounts (account text PRIMARY KEY, principal text NOT NULL)",
      "CREATE TABLE hub_contracts (address text PRIMARY KEY, contract text NOT NULL)",
      "CREATE TABLE hub_blocks (number bigint PRIMARY KEY, hash text NOT NULL, time bigint NOT NULL)",
      `CREATE TABLE hub_cursor (
         one integer PRIMARY KEY DEFAULT 1 CHECK (one = 1),
         block bigint NOT NULL,
         record bigint NOT NULL,
         sequence bigint NOT NULL,
         hash text NOT NULL
       )`,
    ],
  },
  {
    name: "005-gateway",
    statements: [
      "CREATE TABLE gateway_nonces (key text NOT NULL, nonce text NOT NULL, expires bigint NOT NULL, PRIMARY KEY (key, nonce))",
      "CREATE INDEX gateway_nonces_expire ON gateway_nonces (expires)",
    ],
  },
  {
    // The stream gets new hashes: it is rebuilt from chain and log, which hold all of it.
    name: "006-hub-seals",
    statements: [
      ...["events", "parties", "principals", "missions", "accounts", "contracts", "blocks", "cursor"].map(
        (table) => `DELETE FROM hub_${table}`,
      ),
      'ALTER TABLE hub_events ADD COLUMN "payloadSeal" text NOT NULL, ADD COLUMN salt text NOT NULL',
      "CREATE TABLE hub_secret (one integer PRIMARY KEY DEFAULT 1 CHECK (one = 1), secret text NOT NULL)",
    ],
  },
  {
    name: "007-webhooks",
    statements: [
      "CREATE TABLE hub_mirrors (name text PRIMARY KEY, sequence bigint NOT NULL)",
      `CREATE TABLE gateway_webhooks (
         key text PRIMARY KEY,
         url text NOT NULL,
         delivered bigint NOT NULL,
         failures integer NOT NULL,
         due bigint NOT NULL,
         problem text
       )`,
    ],
  },
  {
    name: "008-quotas",
    statements: [
      "CREATE TABLE gateway_quotas (key text NOT NULL, subject text NOT NULL, bytes bigint NOT NULL, PRIMARY KEY (key, subject))",
    ],
  },
  {
    name: "009-payments",
    statements: [
      `CREATE TABLE gateway_payments (
         payer text NOT NULL,
         nonce text NOT NULL,
         request text NOT NULL,
         payment text NOT NULL,
         answer text NOT NULL,
         expires numeric NOT NULL,
         settled text,
         PRIMARY KEY (payer, nonce)
       )`,
    ],
  },
  {
    name: "010-agreements",
    statements: [
      "CREATE TABLE gateway_agreements (id text PRIMARY KEY, acts integer NOT NULL, opened bigint NOT NULL)",
      // Unanswered proposals.
      "CREATE INDEX gateway_agreements_unanswered ON gateway_agreements (opened) WHERE acts = 1",
      "CREATE TABLE gateway_acts (id text NOT NULL, place integer NOT NULL, at bigint NOT NULL, act text NOT NULL, PRIMARY KEY (id, place))",
      "CREATE TABLE gateway_agreement_parties (identity text NOT NULL, id text NOT NULL, PRIMARY KEY (identity, id))",
    ],
  },
  {
    // An agreement of fewer than four acts has not been signed by both parties and may be dropped.
    name: "011-unsigned-agreements",
    statements: [
      "DROP INDEX gateway_agreements_unanswered",
      "CREATE INDEX gateway_agreements_unsigned ON gateway_agreements (opened) WHERE acts < 4",
    ],
  },
  {
    // The client whose allowance an agreement uses, and when it ends. Earlier agreements count for no client and are dropped first.
    name: "012-agreements-of-clients",
    statements: [
      "ALTER TABLE gateway_agreements ADD COLUMN client text NOT NULL DEFAULT '', ADD COLUMN over_by bigint NOT NULL DEFAULT 0",
      "CREATE INDEX gateway_agreements_clients ON gateway_agreements (client)",
      "CREATE INDEX gateway_agreements_over ON gateway_agreements (over_by)",
    ],
  },
  {
    // Gas spent on relaying for strangers, by act and by the party whose allowance it uses.
    name: "013-relayed",
    statements: [
      "CREATE TABLE relayed (act bigint NOT NULL, subject text NOT NULL, at bigint NOT NULL, gas bigint NOT NULL, PRIMARY KEY (act, subject))",
      "CREATE INDEX relayed_subjects ON relayed (subject, at)",
    ],
  },
  {
    // The agreement that a payment pays for: paid at most once.
    name: "014-debts",
    statements: ["ALTER TABLE gateway_payments ADD COLUMN debt text UNIQUE"],
  },
  {
    // The client's wallet that presented an agreement's payment, its amount (smallest unit), and whether it has reached the escrow.
    name: "015-agreements-with-money",
    statements: [
      "ALTER TABLE gateway_agreements ADD COLUMN wallet text, ADD COLUMN stake numeric, ADD COLUMN funded boolean NOT NULL DEFAULT false",
      "CREATE INDEX gateway_agreements_wallets ON gateway_agreements (wallet) WHERE wallet IS NOT NULL",
    ],
  },
  {
    // The address that a proposal came from: creating keys costs nothing.
    name: "016-agreements-by-address",
    statements: [
      "ALTER TABLE gateway_agreements ADD COLUMN party text NOT NULL DEFAULT ''",
      "CREATE INDEX gateway_agreements_of_address ON gateway_agreements (party)",
    ],
  },
  {
    // Questions to external seats. For earlier answers the question is unknown.
    name: "017-seat-calls",
    statements: [
      "CREATE TABLE seat_calls (id text PRIMARY KEY, agent text NOT NULL, scope text, call text, answer text, silence text)",
      "CREATE INDEX seat_calls_scope ON seat_calls (scope) WHERE scope IS NOT NULL",
      "INSERT INTO seat_calls (id, agent, answer) SELECT step, agent, answer FROM answers WHERE session LIKE 'calls/%'",
      "DELETE FROM answers WHERE session LIKE 'calls/%'",
    ],
  },
  {
    // Adjudicators' orders to stop and resume new agreements, with what was signed.
    name: "018-agreement-stops",
    statements: [
      "CREATE TABLE gateway_agreement_stops (nonce integer PRIMARY KEY, at bigint NOT NULL, message text NOT NULL, signature text NOT NULL)",
      "CREATE INDEX gateway_agreements_opened ON gateway_agreements (opened)",
    ],
  },
  {
    // First answers to requests with an Idempotency-Key; null while in progress.
    name: "019-keyed-answers",
    statements: [
      `CREATE TABLE gateway_keyed (
         party text NOT NULL,
         key text NOT NULL,
         request text NOT NULL,
         expires bigint NOT NULL,
         answer text,
         receipt text,
         PRIMARY KEY (party, key)
       )`,
      "CREATE INDEX gateway_keyed_expire ON gateway_keyed (expires)",
    ],
  },
  {
    // The trail of claims emitted here, each entry with its claim or outcome.
    name: "020-claims",
    statements: ["CREATE TABLE gateway_claim_steps (sequence bigint PRIMARY KEY, entry text NOT NULL, file text)"],
  },
  {
    // Per evaluator: judgements since the last test, whether a test is due, and its tests, which are agreements of the city's own with a
    // known score.
    name: "021-canaries",
    statements: [
      "CREATE TABLE gateway_judges (evaluator text PRIMARY KEY, judged integer NOT NULL, is_due boolean NOT NULL)",
      "CREATE TABLE gateway_canaries (id text PRIMARY KEY, evaluator text NOT NULL, known integer NOT NULL, ended bigint, passed boolean)",
      "CREATE INDEX gateway_canaries_evaluators ON gateway_canaries (evaluator)",
    ],
  },
  {
    // What a judged agreement contributes to a promise over many deliveries. Earlier judgements contribute nothing.
    name: "022-promises",
    statements: [
      "ALTER TABLE gateway_agreements ADD COLUMN promise text, ADD COLUMN judged bigint, ADD COLUMN terms text, ADD COLUMN composite integer",
      "CREATE INDEX gateway_agreements_promises ON gateway_agreements (promise, judged, terms) WHERE promise IS NOT NULL",
    ],
  },
  {
    // What an evaluator said of a work with a known score, hundredths of a point; null for silence, and for tests that ended before.
    name: "023-canary-scores",
    statements: ["ALTER TABLE gateway_canaries ADD COLUMN scored integer"],
  },
  {
    // Agreements whose client pays by a callback: the instruction to its payer, and its outcome. `due`: unix milliseconds.
    name: "024-releases",
    statements: [
      `CREATE TABLE gateway_releases (
         id text PRIMARY KEY,
         client text NOT NULL,
         host text NOT NULL,
         url text NOT NULL,
         instruction text,
         state text NOT NULL,
         moves integer NOT NULL,
         attempts integer NOT NULL,
         due bigint,
         reference text,
         problem text,
         ended bigint
       )`,
      "CREATE INDEX gateway_releases_due ON gateway_releases (state, due)",
    ],
  },
];

/** Applies missing migrations. Those already applied must be a prefix of the list. */
export async function migrate(sql: Sql, migrations: readonly Migration[] = MIGRATIONS): Promise<void> {
  await sql.query("CREATE TABLE IF NOT EXISTS migrations (position integer PRIMARY KEY, name text NOT NULL)");
  await sql.transaction(async (within) => {
    await within.query("LOCK TABLE migrations IN EXCLUSIVE MODE");
    const applied = (await within.query("SELECT name FROM migrations ORDER BY position")).map(({ name }) => String(name));
    for (const [position, name] of applied.entries()) {
      const expected = migrations[position]?.name ?? "nothing more";
      if (name !== expected) throw new MigrationMismatch(name, expected);
    }
    for (const [position, migration] of migrations.entries()) {
      if (position < applied.length) continue;
      for (const statement of migration.statements) await within.query(statement);
      await within.query("INSERT INTO migrations (position, name) VALUES ($1, $2)", [position, migration.name]);
    }
  });
}
