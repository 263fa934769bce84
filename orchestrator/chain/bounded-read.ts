import { hexToBigInt, numberToHex } from "viem";
import { z } from "zod";
import { InvalidValue } from "../primitives/errors.ts";
import { hexSchema } from "../primitives/hex.ts";
import type { Request } from "./chain.ts";
import { collectLogs } from "./collect-logs.ts";
import { AnswerTooLarge } from "./errors.ts";

const MAX_EVENTS = { logs: 10_000, characters: 16 * 1024 * 1024 };
/** Number of blocks, and of percentiles for each. */
const MAX_FEES = { blocks: 1_024, percentiles: 100 };

const oneOrMore = z.union([hexSchema, z.array(hexSchema).max(100)]).nullable();
const numberSchema = z.string().regex(/^0x[0-9a-f]{1,16}$/i);
const placeSchema = z.union([numberSchema, z.enum(["earliest", "latest", "pending", "safe", "finalized"])]);
const filterSchema = z.looseObject({
  address: oneOrMore.optional(),
  topics: z.array(oneOrMore).max(4).nullish(),
  fromBlock: placeSchema.nullish(),
  toBlock: placeSchema.nullish(),
  blockHash: hexSchema.nullish(),
});
const logsSchema = z.array(z.looseObject({ data: z.string() }));
const feesSchema = z.tuple([z.coerce.number().max(MAX_FEES.blocks), z.string()], z.array(z.unknown()).max(MAX_FEES.percentiles).nullish());

/** Forwards a read to `request` with a bounded answer: events page by page, fees of a limited number of blocks. */
export function boundedRead(request: Request, head: () => bigint): Request {
  return async (call) => {
    const { method, params = [] } = call;
    if (method === "eth_feeHistory" && !feesSchema.safeParse(params).success) {
      throw new InvalidValue(method, `expected at most ${MAX_FEES.blocks} blocks and ${MAX_FEES.percentiles} percentiles`);
    }
    return method === "eth_getLogs" ? eventsOf(request, params[0], head()) : request(call);
  };
}

async function eventsOf(request: Request, given: unknown, head: bigint): Promise<unknown> {
  const parsed = filterSchema.safeParse(given);
  if (!parsed.success) throw new InvalidValue("eth_getLogs", z.prettifyError(parsed.error));
  const { fromBlock, toBlock, ...filter } = parsed.data;
  const read = async (block: object) => logsSchema.parse(await request({ method: "eth_getLogs", params: [{ ...filter, ...block }] }));
  if (filter.blockHash !== undefined && filter.blockHash !== null) return read({ fromBlock, toBlock });
  const to = placeOf(toBlock, head);
  return collectLogs(
    placeOf(fromBlock, head),
    to < head ? to : head,
    (first, last) => read({ fromBlock: numberToHex(first), toBlock: numberToHex(last) }),
    MAX_EVENTS,
    (limit) => new AnswerTooLarge(limit),
  );
}

/** A missing block means the last one. */
function placeOf(place: z.infer<typeof placeSchema> | null | undefined, head: bigint): bigint {
  if (place === "earliest") return 0n;
  const number = numberSchema.safeParse(place);
  return number.success ? hexToBigInt(number.data as `0x${string}`) : head;
}
