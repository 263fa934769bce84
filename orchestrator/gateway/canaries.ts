/** Tests of evaluators: agreements of the city with itself about work with a known score, which are judged like any other. */
import { z } from "zod";
import {
  type Act,
  type AgreementLife,
  AgreementRefused,
  agreementHash,
  asksForCanaries,
  BREAKER_MEMORY,
  type BreakerOutcome,
  breakerName,
  type Calibration,
  type CanaryTask,
  calibrationOf,
  canaryRate,
  canaryTask,
  deliverySchema,
  didOf,
  draftMessage,
  identitySchema,
  isCanary,
  messageBytes,
  messageHash,
  type Party,
  type PartyIdentity,
  passesCanary,
  proposalFrom,
  statementHash,
} from "../agreements/index.ts";
import { AgentCityError } from "../primitives/errors.ts";
import { sha256, sha256Bytes } from "../primitives/hash.ts";
import { bytesToHex, type Hash, hashSchema } from "../primitives/hex.ts";
import { canonicalBytes, canonicalJson } from "../primitives/json.ts";
import { type ByteSigner, signerOf } from "../primitives/signing.ts";
import type { Sql } from "../records/sql.ts";
import type { AgreementDesk } from "./agreements/desk.ts";
import type { Standing } from "./agreements/standing.ts";

/** Time limit of a canary's evaluator, seconds. */
const PATIENCE = 3_600;
/** Maximum number of canaries started per step. */
const MAX_AT_ONCE = 16;
/** Refusals of an evaluator that has no key here any more. */
const KEYLESS: readonly string[] = ["UnknownKey", "NoRegistry"];

export const canaryCountSchema = z.strictObject({ asked: z.int(), passed: z.int(), failed: z.int() });
/** Of the last thirty days; `asked`: still open. */
export type CanaryCount = Readonly<z.infer<typeof canaryCountSchema>>;

export interface CanariesOptions {
  readonly sql: Sql;
  /** Draws which evaluations are followed by a test, and derives the parties' keys. */
  readonly secret: Uint8Array;
  readonly desk: () => AgreementDesk;
  /** The machine's clock. */
  readonly millis: () => number;
  /** One in how many evaluations, by the share passed so far. Default: five, or twenty. */
  readonly rate?: (passed: number | undefined) => number;
}

const openSchema = z.array(z.object({ id: hashSchema, evaluator: z.string(), known: z.number() }));
const endedSchema = z.array(z.object({ evaluator: z.string(), ended: z.coerce.number(), passed: z.boolean() }));
const readingsSchema = z.array(z.object({ known: z.number(), scored: z.number().nullable() }));
const dueSchema = z.array(z.object({ evaluator: z.string(), number: z.coerce.number() }));

export class Canaries {
  readonly #of: CanariesOptions;

  constructor(options: CanariesOptions) {
    this.#of = options;
  }

  /** Called when an evaluator has judged. If the terms require testing it, a lot decides whether a test follows. */
  async judged({ id, life: { agreement } }: Standing, identity: PartyIdentity): Promise<void> {
    const { sql, secret, rate = canaryRate } = this.#of;
    if (!asksForCanaries(agreement)) return;
    const [own] = await sql.query("SELECT id FROM gateway_canaries WHERE id = $1", [id]);
    if (own !== undefined) return;
    const evaluator = breakerName(identity);
    const [row] = await sql.query(
      `INSERT INTO gateway_judges (evaluator, judged, is_due) VALUES ($1, 1, false)
       ON CONFLICT (evaluator) DO UPDATE SET judged = gateway_judges.judged + 1 RETURNING judged`,
      [evaluator],
    );
    const past = (await this.#ended()).filter((each) => each.evaluator === evaluator);
    const passed = past.length === 0 ? undefined : past.filter((each) => each.passed).length / past.length;
    if (isCanary(bytesToHex(secret), evaluator, Number(row?.["judged"]), rate(passed)))
      await sql.query("UPDATE gateway_judges SET is_due = true WHERE evaluator = $1", [evaluator]);
  }

  /** Checks open tests, and starts those that are due: one per evaluator at a time. */
  async step(): Promise<void> {
    const { sql } = this.#of;
    const now = this.#now();
    await sql.query("DELETE FROM gateway_canaries WHERE ended < $1", [now - BREAKER_MEMORY]);
    const open = openSchema.parse(await sql.query("SELECT id, evaluator, known FROM gateway_canaries WHERE ended IS NULL"));
    for (const canary of open) await this.#look(canary, now);
    const due = dueSchema.parse(
      await sql.query(
        `SELECT evaluator, judged AS number FROM gateway_judges WHERE is_due AND NOT EXISTS
           (SELECT 1 FROM gateway_canaries WHERE gateway_canaries.evaluator = gateway_judges.evaluator AND ended IS NULL)
         ORDER BY evaluator LIMIT ${MAX_AT_ONCE}`,
      ),
    );
    for (const { evaluator, number } of due) {
      // If agreements are stopped or there is no room, it is retried later; an agent that has another key by now is not the one that judged.
      await this.#begin(evaluator, number).catch((error: unknown) => {
        if (!(error instanceof AgentCityError)) throw error;
        return error instanceof AgreementRefused && KEYLESS.includes(error.refusal) ? this.#notDue(evaluator) : undefined;
      });
    }
  }

  /** Results of tests, in the form of breaker outcomes. */
  async outcomes(): Promise<readonly BreakerOutcome[]> {
    return (await this.#ended()).map(({ evaluator, ended, passed }) => ({ what: "canary", at: ended, evaluator, passed }));
  }

  /** How close an evaluator came to the known scores of the last thirty days; its silence counts as in `outcomes`. */
  async calibrationOf(identity: PartyIdentity): Promise<Calibration> {
    const rows = await this.#of.sql.query("SELECT known, scored FROM gateway_canaries WHERE evaluator = $1 AND passed IS NOT NULL", [
      breakerName(identity),
    ]);
    const readings = readingsSchema.parse(rows);
    return calibrationOf(readings.map(({ known, scored }) => ({ known, scored: scored === null ? undefined : scored / 100 })));
  }

  async count(): Promise<CanaryCount> {
    const ended = await this.#ended();
    const [open] = await this.#of.sql.query("SELECT count(*) AS count FROM gateway_canaries WHERE ended IS NULL");
    const passed = ended.filter((each) => each.passed).length;
    return { asked: Number(open?.["count"]), passed, failed: ended.length - passed };
  }

  async #ended() {
    const rows = await this.#of.sql.query("SELECT evaluator, ended, passed FROM gateway_canaries WHERE passed IS NOT NULL ORDER BY ended");
    return endedSchema.parse(rows);
  }

  async #look({ id, evaluator, known }: z.infer<typeof openSchema>[number], now: number): Promise<void> {
    const { sql, desk } = this.#of;
    const standing = await desk()
      .get(id)
      .catch(() => undefined);
    // The process ended while creating it: the evaluator was never asked.
    if (standing?.life.delivery === undefined) return void (await sql.query("DELETE FROM gateway_canaries WHERE id = $1", [id]));
    const [result] = standing.life.results;
    if (result === undefined && now <= Date.parse(standing.life.delivery.timestamp) / 1_000 + PATIENCE) return;
    // Silence counts against evaluators that have answered before; others may not be listening at all.
    const hears = (await this.#ended()).some((each) => each.evaluator === evaluator);
    const scored = result?.determination.composite;
    const passed = scored !== undefined ? passesCanary(known, scored / 100) : hears ? false : null;
    await sql.query("UPDATE gateway_canaries SET ended = $2, passed = $3, scored = $4 WHERE id = $1", [id, now, passed, scored ?? null]);
  }

  async #begin(evaluator: string, number: number): Promise<void> {
    const { sql, desk, secret } = this.#of;
    const seed = (what: string) => sha256Bytes(canonicalBytes(["asa/1 canary", bytesToHex(secret), evaluator, number, what]));
    const parties = { client: signerOf("ed25519", seed("client")), provider: signerOf("ed25519", seed("provider")) };
    const task = canaryTask(sha256(seed("task")));
    const offer = proposalOf(task, parties, {
      evaluator: await desk().withKey(identityIn(evaluator)),
      now: this.#now(),
      name: bytesToHex(seed("name")).slice(2, 18),
    });
    const { id, life } = await desk().propose(offer, { from: "canaries" });
    await sql.query("INSERT INTO gateway_canaries (id, evaluator, known) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING", [
      id,
      evaluator,
      task.known,
    ]);
    let at = life;
    for (const act of actsOf(task, parties, this.#now())) ({ life: at } = await desk().take(id, act(at)));
    await this.#notDue(evaluator);
  }

  async #notDue(evaluator: string): Promise<void> {
    await this.#of.sql.query("UPDATE gateway_judges SET is_due = false WHERE evaluator = $1", [evaluator]);
  }

  #now(): number {
    return Math.floor(this.#of.millis() / 1_000);
  }
}

const iso = (seconds: number) => new Date(seconds * 1_000).toISOString().replace(".000Z", "Z");
const identityOf = ({ publicKey }: ByteSigner): PartyIdentity => ({ scheme: "w3c_did", value: didOf(publicKey) });

function identityIn(name: string): PartyIdentity {
  const colon = name.indexOf(":");
  return identitySchema.parse({ scheme: name.slice(0, colon), value: name.slice(colon + 1) });
}

type Parties = Readonly<Record<Party, ByteSigner>>;
const seal = (by: ByteSigner, kind: Parameters<typeof messageBytes>[0], hash: Hash) => by.sign(messageBytes(kind, hash));

function proposalOf(
  { description }: CanaryTask,
  { client, provider }: Parties,
  { evaluator, now, name }: { readonly evaluator: PartyIdentity; readonly now: number; readonly name: string },
): Extract<Act, { readonly act: "propose" }> {
  const accuracy = { name: "accuracy", weight: 1, metric: "percentage" } as const;
  const template = { type: "general", dimensions: [accuracy], composite_threshold: 75, quality_gates: [] };
  const proposal = proposalFrom(template, {
    ...{ agreement_id: `asa-${name}`, created_at: iso(now), expires_at: iso(now + 86_400), description, deliverable_format: "text" },
    verification: { strategy: "immediate", depth: "semantic", evaluator_timeout_seconds: PATIENCE },
    parties: {
      client: { identity: identityOf(client) },
      provider: { identity: identityOf(provider) },
      evaluator: { identity: evaluator, type: "agent_as_judge" },
    },
  });
  return { act: "propose", document: JSON.parse(canonicalJson(proposal)), signature: seal(client, "proposal", agreementHash(proposal)) };
}

/** Acts of both parties until the evaluator's turn. */
function actsOf({ content }: CanaryTask, parties: Parties, now: number): readonly ((life: AgreementLife) => Act)[] {
  const sign = (by: Party) => (life: AgreementLife) => ({
    ...{ act: "sign" as const, by, signature: seal(parties[by], "agreement", agreementHash(life.agreement)) },
  });
  return [
    (life) => {
      const message = draftMessage(life.negotiation, { by: "provider", action: "accept", rationale_code: "other", timestamp: iso(now) });
      const signature = seal(parties.provider, "message", messageHash(message));
      return { act: "negotiate", message: { ...JSON.parse(canonicalJson(message)), signature } };
    },
    sign("client"),
    sign("provider"),
    (life) => {
      const delivery = deliverySchema.parse({
        ...{ agreement_hash: agreementHash(life.agreement), deliverable_hash: sha256(content), timestamp: iso(now) },
        uri: `data:text/plain;base64,${Buffer.from(content).toString("base64")}`,
      });
      return { act: "deliver", delivery, signature: seal(parties.provider, "delivery", statementHash(delivery)) };
    },
  ];
}
