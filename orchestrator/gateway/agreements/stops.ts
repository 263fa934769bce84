/** The global breaker of agreements: adjudicators' signed orders to stop and resume new ones, in order. */
import { z } from "zod";
import { BREAKER_LIMITS, type BreakerOutcome, openBreakers } from "../../agreements/index.ts";
import type { CityClient } from "../../client/client.ts";
import { isSessionMessageOf, type SessionMessage } from "../../client/sign/session-message.ts";
import { addressSchema } from "../../primitives/address.ts";
import { AgentCityError } from "../../primitives/errors.ts";
import type { Address, Hex } from "../../primitives/hex.ts";
import { canonicalJson, parseJson } from "../../primitives/json.ts";
import { sessionDomain, sessionMessageTypes } from "../../protocol/session-messages.ts";
import type { Sql } from "../../records/sql.ts";

export type AgreementStop = SessionMessage<"AgreementStop">;

/** Longest time until a signature must be submitted, seconds. */
const STOP_DEADLINE = 3_600;

const messageSchema = z.strictObject({
  adjudicator: addressSchema,
  stops: z.boolean(),
  until: z.int(),
  nonce: z.int(),
  deadline: z.int(),
});
const rowsSchema = z.array(z.object({ at: z.coerce.number(), message: z.string() }));

const refused = (problem: string, action: string) => new AgentCityError("StopRefused", problem, { action });

export interface AgreementStopsOptions {
  readonly sql: Sql;
  readonly client: Pick<CityClient, "chain" | "addresses" | "roster">;
}

export class AgreementStops {
  readonly #of: AgreementStopsOptions;

  constructor(options: AgreementStopsOptions) {
    this.#of = options;
  }

  /** The message for an adjudicator to sign for a stop of this length, or to end one (0). */
  async draft(adjudicator: Address, seconds: number, now: number) {
    const { chain, addresses } = this.#of.client;
    const nonce = (await this.outcomes()).length;
    const message: AgreementStop = { adjudicator, stops: seconds > 0, until: now + seconds, nonce, deadline: now + STOP_DEADLINE };
    const domain = sessionDomain(chain.id, addresses.ConstitutionContract);
    return {
      message,
      typedData: { domain, types: { AgreementStop: sessionMessageTypes.AgreementStop }, primaryType: "AgreementStop", message },
    };
  }

  /** Accepts an order of a seated adjudicator for this city, once and in time. Throws StopRefused, BadSignature. */
  async take(stop: AgreementStop, signature: Hex, now: number): Promise<void> {
    const { sql, client } = this.#of;
    const { adjudicator, stops, until, nonce, deadline } = stop;
    const again = "sign the current draft of prepare_agreement_stop";
    if (deadline < now || deadline > now + STOP_DEADLINE) throw refused(`It is valid for ${STOP_DEADLINE} s, until its deadline`, again);
    if (stops && (until <= now || until > now + BREAKER_LIMITS.stop)) throw refused("A stop may last at most a week", again);
    // Checked first, so that no untrusted contract is called.
    if (!(await client.roster.isActive(adjudicator)))
      throw refused("The signer has no seat on the panel", "it must be signed by an adjudicator");
    if (!(await isSessionMessageOf(client, adjudicator, "AgreementStop", stop, signature)))
      throw new AgentCityError("BadSignature", "The adjudicator did not sign this for this city", { action: again });
    const before = await this.outcomes();
    const own = before.findLast((each) => each.what === "stopped" && each.by === adjudicator);
    // Otherwise orders to resume without a stop could use up the nonce of a pending stop.
    const isStopped = openBreakers(before, now).length > 0;
    if (!stops && !isStopped) throw refused("Nothing is stopped", "there is nothing to sign");
    // A single adjudicator cannot keep agreements stopped for longer than a week.
    if (stops && own !== undefined && own.at + 2 * BREAKER_LIMITS.stop > now)
      throw refused("This adjudicator already stopped them within the last two weeks", "another adjudicator may do so");
    const taken = await sql.query(
      `INSERT INTO gateway_agreement_stops (nonce, at, message, signature)
       SELECT $1::integer, $2::bigint, $3::text, $4::text WHERE (SELECT count(*) FROM gateway_agreement_stops) = $1::integer ON CONFLICT (nonce) DO NOTHING RETURNING nonce`,
      [nonce, now, canonicalJson(stop), signature],
    );
    if (taken.length === 0) throw refused(`Its nonce is ${nonce}, but the next one is ${before.length}`, again);
  }

  /** Accepted orders, in the form of breaker outcomes. */
  async outcomes(): Promise<readonly BreakerOutcome[]> {
    const rows = rowsSchema.parse(await this.#of.sql.query("SELECT at, message FROM gateway_agreement_stops ORDER BY nonce"));
    return rows.map(({ at, message }) => {
      const { adjudicator: by, stops, until } = messageSchema.parse(parseJson(message));
      return stops ? { what: "stopped", at, by, until } : { what: "resumed", at, by };
    });
  }
}
