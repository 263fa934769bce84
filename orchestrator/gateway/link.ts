import { z } from "zod";
import type { Request } from "../chain/chain.ts";
import { hubNewsSchema } from "../hub/view.ts";
import { addressSchema } from "../primitives/address.ts";
import { type Address, type Hash, hashSchema } from "../primitives/hex.ts";
import { shownSchema } from "../protocol/call-records.ts";
import type { Row, Sql } from "../records/sql.ts";
import { canaryCountSchema } from "./canaries.ts";
import type { Caller, CityWorld } from "./command.ts";
import { conditionsSchema } from "./conditions.ts";
import { Refused } from "./errors.ts";
import type { Page, Pages } from "./http.ts";
import type { Line } from "./line.ts";
import { type Paid, PaymentRequired } from "./x402.ts";

/** The front's interface to the city, wherever each of them runs. */
export interface CityLink {
  /** Runs a command of the city; returns its answer as RFC 8785 text. */
  run(command: string, input: unknown, caller: Caller): Promise<string>;
  /** Runs a paid command with the payment of a header. Throws PaymentRequired. */
  charge(order: PaidOrder, payment: string | undefined): Promise<Paid>;
  readonly request: Request;
  readonly rows: Pick<Sql, "query">;
  block(key: Address, id: string): Promise<Uint8Array>;
  bring(key: Address, call: Hash, bytes: Uint8Array): Promise<void>;
  page(path: string): Promise<Page | undefined>;
  /** Logs a line for the operator. */
  progress(line: string): void;
}

/** An invocation of a paid command. */
const paidOrderSchema = z.strictObject({
  command: z.string(),
  input: z.unknown(),
  /** The requested URL, for which a payment is made. */
  url: z.string(),
  description: z.string(),
  conditions: conditionsSchema.optional(),
});
export type PaidOrder = z.infer<typeof paidOrderSchema>;
const chargedSchema = z.union([
  z.strictObject({ answer: z.string(), receipt: z.string() }),
  z.strictObject({ problem: z.string(), required: z.string() }),
]);
export type Charged = z.infer<typeof chargedSchema>;

const bytesSchema = z.custom<Uint8Array>((value) => value instanceof Uint8Array);

const callerSchema = z.strictObject({
  key: addressSchema.optional(),
  from: z.string().optional(),
  shown: shownSchema.optional(),
  conditions: conditionsSchema.optional(),
});
const questionSchema = z.discriminatedUnion("ask", [
  z.strictObject({ ask: z.literal("run"), command: z.string(), input: z.unknown(), caller: callerSchema }),
  z.strictObject({ ask: z.literal("charge"), order: paidOrderSchema, payment: z.string().optional() }),
  z.strictObject({ ask: z.literal("chain"), method: z.string(), params: z.array(z.unknown()) }),
  z.strictObject({ ask: z.literal("rows"), text: z.string(), parameters: z.array(z.unknown()) }),
  z.strictObject({ ask: z.literal("block"), key: addressSchema, id: z.string() }),
  z.strictObject({ ask: z.literal("bring"), key: addressSchema, call: hashSchema, bytes: bytesSchema }),
  z.strictObject({ ask: z.literal("page"), path: z.string() }),
  z.strictObject({ ask: z.literal("progress"), line: z.string() }),
]);
type Question = z.input<typeof questionSchema>;

const textSchema = z.string();
const rowsSchema = z.array(z.record(z.string(), z.unknown()));
const pageSchema = z.strictObject({ body: bytesSchema, headers: z.record(z.string(), z.string()) }).nullable();

/** The city at the other end of a line. */
export function cityOver(line: Line): CityLink {
  const ask = (question: Question) => line.ask(question);
  return {
    run: async (command, input, caller) => textSchema.parse(await ask({ ask: "run", command, input, caller: { ...caller } })),
    async charge(order, payment) {
      const charged = chargedSchema.parse(await ask({ ask: "charge", order, ...(payment === undefined ? {} : { payment }) }));
      if ("required" in charged) throw new PaymentRequired(charged.problem, charged.required);
      return charged;
    },
    request: ({ method, params = [] }) => ask({ ask: "chain", method, params: [...params] }),
    rows: {
      query: async (text, parameters = []): Promise<readonly Row[]> =>
        rowsSchema.parse(await ask({ ask: "rows", text, parameters: [...parameters] })),
    },
    block: async (key, id) => bytesSchema.parse(await ask({ ask: "block", key, id })),
    bring: async (key, call, bytes) => void (await ask({ ask: "bring", key, call, bytes })),
    page: async (path) => pageSchema.parse(await ask({ ask: "page", path })) ?? undefined,
    // Without a city there is no one to read it.
    progress: (text) => void ask({ ask: "progress", line: text }).catch(() => {}),
  };
}

export interface CityEnd {
  readonly world: CityWorld;
  readonly request: Request;
  readonly rows: Pick<Sql, "query">;
  readonly pages: Pages | undefined;
  readonly run: (command: string, input: unknown, caller: Caller) => Promise<string>;
  readonly charge: (order: PaidOrder, payment: string | undefined) => Promise<Charged>;
  readonly progress: (line: string) => void;
}

/** Answers the front's questions in the city's own thread. */
export function answersOf({ world, request, rows, pages, run, charge, progress }: CityEnd): (question: unknown) => Promise<unknown> {
  const door = () => {
    if (world.seats !== undefined) return world.seats;
    throw new Refused("SeatsClosed", "This city asks no agents elsewhere now", { action: "ask its operator" });
  };
  return async (given) => {
    const question = questionSchema.parse(given);
    switch (question.ask) {
      case "run":
        return run(question.command, question.input, question.caller);
      case "charge":
        return charge(question.order, question.payment);
      case "chain":
        return request(question);
      case "rows":
        return rows.query(question.text, question.parameters);
      case "block":
        return door().block(question.key, question.id);
      case "bring":
        await door().bring(question.key, question.call, question.bytes);
        return undefined;
      case "page":
        return pages?.(question.path);
      case "progress":
        return progress(question.line);
    }
  };
}

/** Orders of the city to its front. */
export const orderSchema = z.discriminatedUnion("do", [
  z.strictObject({ do: z.literal("open") }),
  z.strictObject({ do: z.literal("advance"), news: hubNewsSchema }),
  /** What /health says of agreements and of missions that stopped. */
  z.strictObject({ do: z.literal("show"), breakers: z.array(z.json()), canaries: canaryCountSchema, stoppedMissions: z.int() }),
  z.strictObject({ do: z.literal("close") }),
]);
export type FrontOrder = z.input<typeof orderSchema>;
