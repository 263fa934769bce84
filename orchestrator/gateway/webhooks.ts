import { randomBytes } from "node:crypto";
import { isAddressEqual, type LocalAccount, recoverMessageAddress } from "viem";
import { z } from "zod";
import { calledTypes } from "../hub/event-types.ts";
import type { HubReads, StreamEvent } from "../hub/view.ts";
import { addressSchema } from "../primitives/address.ts";
import { messageOf } from "../primitives/errors.ts";
import { type Address, bytesToHex, hexSchema } from "../primitives/hex.ts";
import { canonicalBytes, type JsonValue } from "../primitives/json.ts";
import type { Sql } from "../records/sql.ts";
import { Refused } from "./errors.ts";
import { signRequest } from "./http-signature.ts";
import { type Push, type Pushed, requireEndpoint } from "./push.ts";

const number = z.coerce.number().int();
const rowSchema = z.object({
  key: addressSchema,
  url: z.string(),
  delivered: number,
  failures: number,
  due: number,
  problem: z.string().nullable(),
});
/** Where an adjudicator receives critical events. `delivered`: up to which entry of the hub; `due`: unix milliseconds of the next try. */
export type Webhook = z.infer<typeof rowSchema>;

const COLUMNS = "key, url, delivered, failures, due, problem";
/** Milliseconds before the first further try; each is four times as long, up to an hour. */
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 3_600_000;
/** One push a second and endpoint. */
const BETWEEN = 1_000;
/** Endpoints of a city: its panel is smaller. */
const MOST = 64;

export interface WebhooksOptions {
  readonly sql: Sql;
  readonly hub: Pick<HubReads, "query" | "cursor">;
  readonly push: Push;
  /** Signs every push. */
  readonly operator: LocalAccount;
  readonly chainId: number;
  /** Whether an adjudicator has its seat still: one that lost it receives nothing more. */
  readonly isSeated: (key: Address) => Promise<boolean>;
  /** The public form of an event. */
  readonly render: (event: StreamEvent) => Promise<JsonValue>;
  readonly millis: () => number;
}

/** What an endpoint signs with its adjudicator's key before it receives anything (EIP-191). */
export function challengeText(chainId: number, key: Address, challenge: string): string {
  return `AgentCity webhook of ${key.toLowerCase()} on chain ${chainId}: ${challenge}`;
}

const signatureSchema = z.string().regex(/^0x[0-9a-f]{130}$/);

/**
 * Critical events on their way to endpoints of adjudicators' own: each at least once, in order, signed by the operator's key, tried again
 * until it is taken. How far each endpoint is stands in the city's records, and moves when it has said yes.
 */
export class Webhooks {
  readonly #of: WebhooksOptions;

  constructor(options: WebhooksOptions) {
    this.#of = options;
  }

  async of(key: Address): Promise<Webhook | undefined> {
    const [row] = await this.#of.sql.query(`SELECT ${COLUMNS} FROM gateway_webhooks WHERE key = $1`, [key]);
    return row === undefined ? undefined : rowSchema.parse(row);
  }

  /** Tells this endpoint from now on. Throws PushRefused unless it shows that the key is its own. */
  async add(key: Address, text: string): Promise<Webhook> {
    const { sql, hub, chainId } = this.#of;
    const url = requireEndpoint(text);
    const all = await sql.query("SELECT key FROM gateway_webhooks WHERE key <> $1", [key]);
    if (all.length >= MOST) throw new Refused("PushRefused", `This city tells ${MOST} endpoints at most`);
    const challenge = bytesToHex(randomBytes(32));
    const answer = await this.#send(url, { challenge, key }).catch((error: unknown) => {
      if (error instanceof Refused) throw error;
      throw new Refused("PushRefused", "The endpoint did not answer", { details: messageOf(error) });
    });
    const signature = signatureSchema.safeParse(answer.text.trim());
    const message = challengeText(chainId, key, challenge);
    const signer = signature.success
      ? await recoverMessageAddress({ message, signature: hexSchema.parse(signature.data) }).catch(() => undefined)
      : undefined;
    if (!isTaken(answer) || signer === undefined || !isAddressEqual(signer, key))
      throw new Refused("PushRefused", "The endpoint did not show that this key is its own", {
        action: "answer the challenge with its signature: docs/gateway.md, Webhooks",
      });
    await sql.query(
      `INSERT INTO gateway_webhooks (key, url, delivered, failures, due, problem) VALUES ($1, $2, $3, 0, 0, NULL)
       ON CONFLICT (key) DO UPDATE SET url = $2, failures = 0, due = 0, problem = NULL`,
      [key, url.href, hub.cursor().sequence],
    );
    const added = await this.of(key);
    if (added === undefined) throw new Refused("NotFound", "The endpoint was taken away meanwhile");
    return added;
  }

  async remove(key: Address): Promise<void> {
    await this.#of.sql.query("DELETE FROM gateway_webhooks WHERE key = $1", [key]);
  }

  /** One push to each endpoint that is behind and whose time has come. Returns how many were taken. */
  async step(): Promise<number> {
    const { sql, millis } = this.#of;
    const rows = await sql.query(`SELECT ${COLUMNS} FROM gateway_webhooks WHERE due <= $1 AND delivered < $2`, [
      Math.floor(millis()),
      this.#of.hub.cursor().sequence,
    ]);
    const taken = await Promise.all(rows.map((row) => this.#push(rowSchema.parse(row))));
    return taken.filter((each) => each).length;
  }

  async #push({ key, url, delivered, failures }: Webhook): Promise<boolean> {
    const { sql, hub, millis, isSeated, render } = this.#of;
    if (!(await isSeated(key))) {
      await this.remove(key);
      return false;
    }
    const { sequence: head } = hub.cursor();
    const event = await this.#nextAfter(delivered);
    if (event === undefined) {
      // Nothing critical up to here: it need not be looked through again.
      await sql.query("UPDATE gateway_webhooks SET delivered = $2 WHERE key = $1 AND url = $3 AND delivered < $2", [key, head, url]);
      return false;
    }
    const problem = await this.#send(new URL(url), await render(event)).then(
      (answer) => (isTaken(answer) ? undefined : `it answered ${answer.status}`),
      messageOf,
    );
    const isDone = problem === undefined;
    const pause = isDone ? BETWEEN : Math.min(LONGEST_PAUSE, FIRST_PAUSE * 4 ** Math.min(failures, 10));
    await sql.query("UPDATE gateway_webhooks SET delivered = $2, failures = $3, due = $4, problem = $5 WHERE key = $1 AND url = $6", [
      key,
      isDone ? event.sequence : delivered,
      isDone ? 0 : failures + 1,
      Math.ceil(millis() + pause),
      problem?.slice(0, 300) ?? null,
      url,
    ]);
    return isDone;
  }

  async #nextAfter(sequence: number): Promise<StreamEvent | undefined> {
    const firsts = await Promise.all(
      calledTypes.map(async (eventType) => {
        const { events } = await this.#of.hub.query({ eventType, cursor: `s${sequence}`, limit: 1 });
        return events[0];
      }),
    );
    const found = firsts.filter((event) => event !== undefined);
    return found.toSorted((a, b) => a.sequence - b.sequence)[0];
  }

  /** Posts a document, signed as requests to this gateway are. */
  async #send(url: URL, document: JsonValue): Promise<Pushed> {
    const { push, operator, chainId, millis } = this.#of;
    const body = canonicalBytes(document);
    const headers = new Headers({ "content-type": "application/json" });
    const facts = {
      chainId,
      key: operator.address,
      nonce: randomBytes(16).toString("base64url"),
      now: Math.floor(millis() / 1_000),
    };
    const signed = await signRequest({ method: "POST", url, headers, body }, facts, (message) => operator.signMessage({ message }));
    return push(url, { body, headers: { "content-type": "application/json", ...signed } });
  }
}

function isTaken({ status }: Pushed): boolean {
  return status >= 200 && status < 300;
}
