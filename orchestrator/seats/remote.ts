import { hashTypedData, stringify, type TypedDataDefinition, zeroHash } from "viem";
import { publicKeyToAddress, toAccount } from "viem/accounts";
import { z } from "zod";
import { bytesUnder, type ClearingDocument } from "../execution/clearing-record.ts";
import { openingOf } from "../execution/evidence.ts";
import { outputProblem } from "../execution/sandbox/items-problem.ts";
import type { SandboxLimits } from "../execution/sandbox/limits.ts";
import { openWork } from "../execution/sealed-work.ts";
import type { CommittedWork, Origin, Signing, Worker, WorkOrder } from "../execution/seat.ts";
import type { ContentStore } from "../execution/world.ts";
import { SeatAbsent } from "../minds/absence.ts";
import type { Mind } from "../minds/mind.ts";
import { addressSchema } from "../primitives/address.ts";
import { contentIdFromDigest, keccak256, parseContentId, sha256 } from "../primitives/hash.ts";
import { type Address, bytesToHex, type ContentId, hashSchema } from "../primitives/hex.ts";
import { canonicalBytes, canonicalJson, isObject, type JsonObject, parseJsonBytes } from "../primitives/json.ts";
import { recoverAddress } from "../primitives/recovery.ts";
import { keyBehind } from "../primitives/signing.ts";
import { CALLS, type CallAnswer, type CallRequest } from "../protocol/calls.ts";
import { isSessionMessage } from "../protocol/session-calls.ts";
import { messageConsumers } from "../protocol/typed-data.ts";
import type { Mailbox } from "./mailbox.ts";
import { sessionMind } from "./remote-mind.ts";

/** A member whose key is on another machine. */
export interface Outsider {
  readonly name: string;
  readonly address: Address;
  readonly principal: Address;
}

/** Signatures of an external member. It never signs raw bytes or transactions. */
export function remoteSigning(outsider: Outsider, mailbox: Mailbox): Signing {
  const { name, principal, address } = outsider;
  const account = toAccount({
    address,
    signMessage: refusal(name, "sign bytes"),
    signTransaction: refusal(name, "sign a transaction"),
    async signTypedData(typed) {
      const data = typed as TypedDataDefinition;
      const digest = hashTypedData(data);
      const check = async ({ signature }: { readonly signature: `0x${string}` }) => {
        const signer = await recoverAddress({ hash: digest, signature }).catch(() => undefined);
        return signer === address ? undefined : "the signature is not this agent's under this message";
      };
      const help = () => ({ typedData: stringify(data) });
      const request = signRequestOf(data);
      const isInSession = isSessionMessage(request.type);
      // It first reads what it is to propose.
      const proposed = hashSchema.safeParse(request.message["cid"]);
      if (isInSession && proposed.success) mailbox.grant(address, [contentIdFromDigest(proposed.data)]);
      // An agent that was paid and left withdraws when it comes back.
      const hasDeadline = request.type === "Withdrawal";
      const { signature } = await mailbox.ask(outsider, "sign", request, check, {
        help,
        isOptional: isInSession || hasDeadline,
        hasDeadline,
      });
      return signature;
    },
  });
  return {
    ...{ name, principal, account },
    async seal(document: ClearingDocument) {
      const bytes = bytesUnder(document, address);
      const keyOf = (signature: `0x${string}`) => keyBehind(bytes, signature, (key) => publicKeyToAddress(key) === address);
      const request = CALLS.seal.request.parse({ document: z.json().parse(document) });
      const check = async ({ signature }: { readonly signature: `0x${string}` }) =>
        keyOf(signature) === undefined ? "the signature is not this agent's under this document" : undefined;
      const help = () => ({ bytes: bytesToHex(bytes), sha256: sha256(bytes) });
      const { signature } = await mailbox.ask(outsider, "seal", request, check, { help });
      const publicKey = keyOf(signature);
      if (publicKey === undefined) throw new SeatAbsent(name, "seal", "its kept signature is not its own");
      return { publicKey, signature };
    },
  };
}

/** Throws SeatAbsent: no call covers this question. */
function refusal(name: string, question: string) {
  return async (): Promise<never> => {
    throw new SeatAbsent(name, question, "no call asks for it");
  };
}

/** Lets a seat read the blocks that an input is derived from; returns how a call names them. */
export function grantOrigin(mailbox: Mailbox, address: Address, { document, items, upstream }: Origin) {
  const before = upstream.flatMap(({ outputs, unread }) => [...outputs.map(({ output }) => output), ...unread.map(({ sealed }) => sealed)]);
  mailbox.grant(address, [document, items, ...before]);
  return {
    document,
    items,
    upstream: upstream.map(({ node, outputs, unread }) => ({
      node,
      outputs: outputs.map((output) => ({ ...output })),
      unread: unread.map((each) => ({ ...each, items: each.items.map((item) => ({ ...item })) })),
    })),
  };
}

/** A service run's limits, as a call names them. */
export function boundsOf({ wallClockMs = 0, tools = 0, messages = 0 }: Partial<SandboxLimits>) {
  return { seconds: Math.ceil(wallClockMs / 1_000) + 1, tools, messages };
}

/** A producer's seat that is reached by calls. Everything it sends is validated. */
export function remoteSeat(outsider: Outsider, mailbox: Mailbox, store: ContentStore): Worker {
  const { name, address } = outsider;
  const mind: Mind = {
    plan: refusal(name, "plan"),
    ...sessionMind(outsider, mailbox),
    async bid({ mission, nodes, producers, freeStake }) {
      const request = CALLS.bid.request.parse({
        mission,
        nodes: nodes.map((node) => ({ ...node, slotBudget: String(node.slotBudget), stake: String(node.stake) })),
        producers,
        freeStake: String(freeStake),
      });
      const offers = await mailbox.ask(outsider, "bid", request, async (made) => offersProblem(request, made));
      return offers.map(({ node, service, price }) => ({ node, service, price: BigInt(price) }));
    },
  };

  return {
    ...remoteSigning(outsider, mailbox),
    mind,
    opensEarly: false,
    async perform(order) {
      const { mission, node, attempt, slot, limits } = order;
      const bounds = boundsOf(limits);
      const { seconds } = bounds;
      const request: CallRequest<"perform"> = {
        ...{ mission, node, attempt, slot, service: order.service.id, ...bounds },
        ...grantOrigin(mailbox, address, await order.origin()),
        inputHash: keccak256(canonicalBytes(order.input)),
      };
      const isIts = (id: ContentId) => mailbox.hasBrought(address, id);
      const check = (done: CallAnswer<"perform">) => workProblem(store, order, done, isIts);
      const help = () => ({
        ...{ input: order.input, output: order.service.schemas.output },
        ...(order.sealedUnder === undefined ? {} : { obligation: order.sealedUnder }),
      });
      const done = await mailbox.ask(outsider, "perform", request, check, { seconds, help });
      if (done.status === "failed") return { status: "failed", kind: "crash", details: done.details };
      if (done.status === "sealed") {
        const work = await bytesBehind(store, done.work);
        if (work === undefined) throw new SeatAbsent(name, "perform", "its work cannot be had any more");
        return { ...done, work };
      }
      const output = await outputBehind(store, done.output);
      if (output === undefined) throw new SeatAbsent(name, "perform", "its output cannot be had any more");
      return { ...done, output };
    },
    pledge: async (committed) =>
      (await mailbox.ask(outsider, "pledge", pledgeRequest(committed), undefined, { help: () => hiddenIn(committed) })).commitment,
    async open(committed) {
      const check = async (answer: CallAnswer<"open">) => openingProblem(committed, answer);
      const opened = await mailbox.ask(outsider, "open", pledgeRequest(committed), check, { help: () => hiddenIn(committed) });
      return { ...opened, classes: BigInt(opened.classes) };
    },
  };
}

/** A message to sign: its type, its values, and the mission that consumes it. The signer knows domain and types itself. */
function signRequestOf({ primaryType: type, message, domain }: TypedDataDefinition): CallRequest<"sign"> {
  const isOfMission = Object.entries(messageConsumers).some(([name, consumer]) => name === type && consumer === "mission");
  const mission = isOfMission ? addressSchema.parse(domain?.verifyingContract) : null;
  return CALLS.sign.request.parse({
    type,
    mission,
    message: JSON.parse(JSON.stringify(message, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value))),
  });
}

function pledgeRequest({ mission, node, attempt, slot, obligation, handed, items }: CommittedWork): CallRequest<"pledge"> {
  return { mission, node, attempt, slot, obligation, handed, items: items.map((item) => ({ ...item })) };
}

/** What a commitment covers, as far as the city knows it: only the executor knows the salt and what it sealed. */
function hiddenIn({ obligation, items, work }: CommittedWork): JsonObject {
  const known = "sealed" in work ? { outputHash: zeroHash, trail: [] } : work;
  const { salt: _, outputHash, trailRoot, classes, ...rest } = openingOf({ obligation, items, ...known }, zeroHash);
  return { ...rest, ...("sealed" in work ? {} : { outputHash, trailRoot }), classes: String(classes), obligation };
}

/** An opening must match what the city saw of the work, except for the salt. */
function openingProblem({ obligation, slot, items, work }: CommittedWork, answer: CallAnswer<"open">): string | undefined {
  const given = { ...answer, classes: BigInt(answer.classes) };
  const opened = "sealed" in work ? openWork(work.sealed, { obligation, slot }, given) : work;
  if (opened === undefined) return "the opening does not open what was handed in";
  const { trail } = opened;
  const outputHash = "outputHash" in opened ? opened.outputHash : answer.outputHash;
  const own = openingOf({ obligation, items, outputHash, trail }, answer.salt);
  const same = canonicalJson({ ...own, classes: String(own.classes) }) === canonicalJson({ ...answer });
  return same ? undefined : "the opening is not of this work and this evidence";
}

/** Checks that the market could accept these bids. */
function offersProblem({ nodes }: CallRequest<"bid">, offers: z.infer<typeof CALLS.bid.answer>): string | undefined {
  const wrong = offers.find(({ node, service, price }) => {
    const open = nodes.find((each) => each.node === node);
    return open === undefined || !open.services.includes(service) || BigInt(price) === 0n || BigInt(price) > BigInt(open.slotBudget);
  });
  return wrong === undefined ? undefined : `no such offer can be made: ${wrong.service} for node ${wrong.node} at ${wrong.price}`;
}

/** Bytes that were handed in; undefined if there are none. */
async function bytesBehind(store: ContentStore, id: string): Promise<Uint8Array | undefined> {
  try {
    return await store.get(parseContentId(id));
  } catch {
    return undefined;
  }
}

/** An output that was handed in; undefined if the bytes are missing or not a JSON object. */
async function outputBehind(store: ContentStore, id: string): Promise<JsonObject | undefined> {
  try {
    const value = parseJsonBytes(await store.get(parseContentId(id)));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Checks what was handed in for a question; sealed work is checked when it is opened. A block of another party is reported like a missing
 * one, so that no agent can sell others' work or learn what the city stores.
 */
async function workProblem(
  store: ContentStore,
  { service: { schemas }, input, sealedUnder }: WorkOrder,
  done: CallAnswer<"perform">,
  isIts: (id: ContentId) => Promise<boolean>,
): Promise<string | undefined> {
  if (done.status === "failed") return undefined;
  if ((done.status === "sealed") !== (sealedUnder !== undefined))
    return sealedUnder === undefined ? "this work is handed in open" : "this work is handed in sealed: other executors are not done yet";
  const isSealed = done.status === "sealed";
  if (!(await isIts(parseContentId(isSealed ? done.work : done.output))))
    return `this agent handed in no ${isSealed ? "work" : "output"} of that id`;
  if (isSealed) return (await bytesBehind(store, done.work)) === undefined ? "its work cannot be had any more" : undefined;
  const output = await outputBehind(store, done.output);
  return output === undefined ? "the output is not a JSON object" : outputProblem(schemas, input, output);
}
