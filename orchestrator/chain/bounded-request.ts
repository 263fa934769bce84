import { keccak256, numberToHex } from "viem";
import { Admission } from "../primitives/admission.ts";
import { InvalidValue } from "../primitives/errors.ts";
import { hexSchema } from "../primitives/hex.ts";
import { boundedRead } from "./bounded-read.ts";
import type { CityChain, Request } from "./chain.ts";
import { type DrivenChain, MAX_TRANSACTION_GAS } from "./driven.ts";
import { ChainOverloaded } from "./errors.ts";
import { Replica } from "./replica.ts";

/** Requests of other processes answered concurrently, and queued. */
const READS = { atOnce: 8, waiting: 128 } as const;
/** Limit for those that execute code, so that a hundred agents' simulations do not block other reads. */
const EXECUTIONS = { atOnce: 1, waiting: 32 } as const;

/** Event queries have the largest answers: two in memory are enough. */
const EVENTS = { atOnce: 2, waiting: 32 } as const;

const EXECUTING: ReadonlySet<string> = new Set(["eth_call", "eth_estimateGas"]);

/** A chain's interface for other processes. */
export interface BoundedRequest {
  readonly request: Request;
  close(): Promise<void>;
}

/**
 * Protects the chain from requests of other processes: answers and gas are capped, and code on the embedded chain is executed in a replica
 * first, which can die without the city. Throws TooHeavy, AnswerTooLarge, ChainOverloaded, TransactionRefused, MethodNotAllowed.
 */
export function boundedRequest(chain: CityChain | DrivenChain): BoundedRequest {
  const overloaded = () => new ChainOverloaded();
  const reads = new Admission(READS.atOnce, READS.waiting, overloaded);
  const events = new Admission(EVENTS.atOnce, EVENTS.waiting, overloaded);
  const read = boundedRead(chain.request, () => chain.head().number);
  const executions = new Admission(EXECUTIONS.atOnce, EXECUTIONS.waiting, overloaded);
  // An external node's EVM records no steps: the gas cap is enough.
  const embedded = chain.kind === "embedded" && "mine" in chain ? chain : undefined;
  const replica = embedded === undefined ? undefined : new Replica(embedded);

  const execute: Request = async ({ method, params = [] }) => {
    const call = { method, params: [capped(params[0]), ...params.slice(1)] };
    return replica === undefined ? chain.request(call) : replica.run((copy) => copy.request(call));
  };
  const send: Request = async (call) => {
    if (embedded === undefined || replica === undefined) return chain.request(call);
    const raw = hexSchema.safeParse(call.params?.[0]);
    if (!raw.success) throw new InvalidValue("eth_sendRawTransaction", "expected one signed transaction in hex");
    // Starts the replica first, so that the chain waits for the transaction alone.
    await replica.run(async () => {});
    await embedded.mine([raw.data], undefined, async (timestamp) => {
      await replica.run((copy) => copy.mine([raw.data], timestamp));
    });
    return keccak256(raw.data);
  };
  return {
    request(call) {
      if (EXECUTING.has(call.method)) return executions.run(() => execute(call));
      if (call.method === "eth_sendRawTransaction") return executions.run(() => send(call));
      return (call.method === "eth_getLogs" ? events : reads).run(() => read(call));
    },
    close: async () => replica?.close(),
  };
}

/** Caps the call's gas at the largest allowed for a transaction. */
function capped(call: unknown): unknown {
  if (typeof call !== "object" || call === null) return call;
  const asked = "gas" in call ? call.gas : undefined;
  const gas = typeof asked === "string" && /^0x[0-9a-f]{1,16}$/i.test(asked) ? BigInt(asked) : MAX_TRANSACTION_GAS;
  return { ...call, gas: numberToHex(gas < MAX_TRANSACTION_GAS ? gas : MAX_TRANSACTION_GAS) };
}
