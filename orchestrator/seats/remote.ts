import { hashTypedData, recoverAddress, stringify, type TypedDataDefinition, zeroHash } from "viem";
import { publicKeyToAddress, toAccount } from "viem/accounts";
import { z } from "zod";
import { bytesUnder, type ClearingDocument } from "../execution/clearing-record.ts";
import { openingOf } from "../execution/evidence.ts";
import { itemsProblem } from "../execution/sandbox/items-problem.ts";
import type { SandboxLimits } from "../execution/sandbox/limits.ts";
import type { Deed, Origin, Signing, Worker, WorkOrder } from "../execution/seat.ts";
import type { ContentStore } from "../execution/world.ts";
import { SeatAbsent } from "../minds/absence.ts";
import type { Mind } from "../minds/mind.ts";
import { addressSchema } from "../primitives/address.ts";
import { contentIdFromDigest, keccak256, parseContentId, sha256 } from "../primitives/hash.ts";
import { type Address, bytesToHex, type Hash, hashSchema } from "../primitives/hex.ts";
import { canonicalBytes, isObject, type JsonObject, parseJsonBytes } from "../primitives/json.ts";
import { compileSchema, describeProblem } from "../primitives/json-schema.ts";
import { keyBehind } from "../primitives/signing.ts";
import { CALLS, type CallAnswer, type CallRequest } from "../protocol/calls.ts";
import { isSessionMessage } from "../protocol/session-calls.ts";
import { messageConsumers } from "../protocol/typed-data.ts";
import type { Mailbox } from "./mailbox.ts";
import { sessionMind } from "./remote-mind.ts";

/** Somebody whose key is elsewhere. */
export interface Outsider {
  readonly name: string;
  readonly address: Address;
  readonly principal: Address;
}

/** How somebody signs whose key is elsewhere. Neither bytes nor transactions are ever signed there. */
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
      const isOptional = isSessionMessage(request.type);
      // What it proposes it reads first.
      const proposed = hashSchema.safeParse(request.message["cid"]);
      if (isOptional && proposed.success) mailbox.grant(address, [contentIdFromDigest(proposed.data)]);
      const { signature } = await mailbox.ask(outsider, "sign", request, check, { help, isOptional });
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

/** Throws SeatAbsent: no call asks for it. */
function refusal(name: string, question: string) {
  return async (): Promise<never> => {
    throw new SeatAbsent(name, question, "no call asks for it");
  };
}

/** Lets a seat read the blocks that an input follows from; returns how a call names them. */
export function grantOrigin(mailbox: Mailbox, address: Address, { document, items, upstream }: Origin) {
  mailbox.grant(address, [document, items, ...upstream.flatMap(({ outputs }) => outputs.map(({ output }) => output))]);
  return {
    document,
    items,
    upstream: upstream.map((each) => ({ node: each.node, outputs: each.outputs.map((output) => ({ ...output })) })),
  };
}

/** How a call names the bounds of a service's run. */
export function boundsOf({ wallClockMs = 0, tools = 0, messages = 0 }: Partial<SandboxLimits>) {
  return { seconds: Math.ceil(wallClockMs / 1_000) + 1, tools, messages };
}

/** The seat of a producer that is reached by calls. Whatever it sends is checked before it counts. */
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

  /** What a deed opens to, but for the salt, has to be what was seen of it. */
  async function openingProblem(deed: Deed, answer: { readonly salt: Hash; readonly trailRoot: Hash; readonly [field: string]: unknown }) {
    const { classes, ...own } = openingOf(deed, answer.salt);
    const same = Object.entries({ ...own, classes: String(classes) }).every(([field, value]) => answer[field] === value);
    return same ? undefined : "the opening is not of this work and this evidence";
  }

  return {
    ...remoteSigning(outsider, mailbox),
    mind,
    async perform(order) {
      const { mission, node, attempt, slot, limits } = order;
      const bounds = boundsOf(limits);
      const { seconds } = bounds;
      const request: CallRequest<"perform"> = {
        ...{ mission, node, attempt, slot, service: order.service.id, ...bounds },
        ...grantOrigin(mailbox, address, await order.origin()),
        inputHash: keccak256(canonicalBytes(order.input)),
      };
      const check = async (done: z.infer<typeof CALLS.perform.answer>) =>
        done.status === "failed" ? undefined : outputProblem(order, await outputBehind(store, done.output));
      const help = () => ({ input: order.input, output: order.service.schemas.output });
      const done = await mailbox.ask(outsider, "perform", request, check, { seconds, help });
      if (done.status === "failed") return { status: "failed", kind: "crash", details: done.details };
      const output = await outputBehind(store, done.output);
      if (output === undefined) throw new SeatAbsent(name, "perform", "its output cannot be had any more");
      return { ...done, output };
    },
    pledge: async (deed) =>
      (await mailbox.ask(outsider, "pledge", deedRequest(deed), undefined, { help: () => hiddenIn(deed) })).commitment,
    async open(deed) {
      const check = (answer: CallAnswer<"open">) => openingProblem(deed, answer);
      const opened = await mailbox.ask(outsider, "open", deedRequest(deed), check, { help: () => hiddenIn(deed) });
      return { ...opened, classes: BigInt(opened.classes) };
    },
  };
}

/** A message on its way to whoever is to sign it: its type, its values, and the mission that consumes it. Domain and types it knows. */
function signRequestOf({ primaryType: type, message, domain }: TypedDataDefinition): CallRequest<"sign"> {
  const isOfMission = Object.entries(messageConsumers).some(([name, consumer]) => name === type && consumer === "mission");
  const mission = isOfMission ? addressSchema.parse(domain?.verifyingContract) : null;
  return CALLS.sign.request.parse({
    type,
    mission,
    message: JSON.parse(JSON.stringify(message, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value))),
  });
}

function deedRequest({ mission, node, attempt, slot, obligation, outputHash, items }: Deed): CallRequest<"pledge"> {
  return { mission, node, attempt, slot, obligation, outputHash, items: items.map((item) => ({ ...item })) };
}

/** What a commitment to a deed is over, but for the salt, which is the executor's alone. */
function hiddenIn(deed: Deed): JsonObject {
  const { salt: _, classes, ...rest } = openingOf(deed, zeroHash);
  return { ...rest, classes: String(classes), obligation: deed.obligation };
}

/** What is wrong with offers that no market would take. */
function offersProblem({ nodes }: CallRequest<"bid">, offers: z.infer<typeof CALLS.bid.answer>): string | undefined {
  const wrong = offers.find(({ node, service, price }) => {
    const open = nodes.find((each) => each.node === node);
    return open === undefined || !open.services.includes(service) || BigInt(price) === 0n || BigInt(price) > BigInt(open.slotBudget);
  });
  return wrong === undefined ? undefined : `no such offer can be made: ${wrong.service} for node ${wrong.node} at ${wrong.price}`;
}

/** An output that was handed in; undefined: there are no such bytes, or they are no JSON object. */
async function outputBehind(store: ContentStore, id: string): Promise<JsonObject | undefined> {
  try {
    const value = parseJsonBytes(await store.get(parseContentId(id)));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What the service's schemas say against an output. */
function outputProblem({ service: { schemas }, input }: WorkOrder, output: JsonObject | undefined): string | undefined {
  if (output === undefined) return "the output was not handed in, or it is not a JSON object";
  const misfit = compileSchema(schemas.output)(output);
  return misfit === undefined ? itemsProblem(schemas, input, output) : `the output does not fit its schema: ${describeProblem(misfit)}`;
}
