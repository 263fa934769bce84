/** What seats elsewhere were asked, as a bundle has it. Free of Node and of the chain: a browser runs these rules by themselves. */
import { recoverMessageAddress, recoverTypedDataAddress } from "viem";
import { publicKeyToAddress } from "viem/accounts";
import { outcomeKey, verificationOutcomeSchema } from "../../attestation/outcome.ts";
import { sessionDigest } from "../../client/sign/session-message.ts";
import { messageDigest, type SigningDomain } from "../../client/sign/sign-message.ts";
import { claimFileSchema } from "../../execution/claims.ts";
import { bytesUnder, type ClearingDocument } from "../../execution/clearing-record.ts";
import { wordSchema } from "../../execution/evidence.ts";
import { sealedSchema, workSchema } from "../../execution/work.ts";
import { keccak256, parseContentId, sha256, sha256Bytes } from "../../primitives/hash.ts";
import type { Address, Hash, Hex } from "../../primitives/hex.ts";
import { canonicalBytes, canonicalJson, type JsonObject, type JsonValue, parseJson } from "../../primitives/json.ts";
import { recoverAddress } from "../../primitives/recovery.ts";
import { keyBehind } from "../../primitives/signing.ts";
import { type AuditReport, NOBODY_ELSEWHERE } from "../../protocol/audit-report.ts";
import { callsSchema, type RecordedCall, type RecordedCalls, type Shown } from "../../protocol/call-records.ts";
import {
  CALLS,
  type CallAnswer,
  type CallName,
  type CallRequest,
  callIdParts,
  mailboxDomain,
  mailboxTypes,
  requestShown,
} from "../../protocol/calls.ts";
import { type SessionMessageName, sessionMessageTypes } from "../../protocol/session-messages.ts";
import { type MessageName, typedDataTypes } from "../../protocol/typed-data.ts";
import { blockFile, CLOSING_KIND, closingSchema } from "../bundle/bundle-layout.ts";
import type { AuditContext } from "./context.ts";
import type { Inspection } from "./inspection.ts";
import { recordOf } from "./works.ts";

/** Where the calls of a bundle stand, and the city that they are of. */
export interface CallSource extends Pick<AuditContext, "log" | "block" | "hasBlock"> {
  /** The mission that the bundle is of. */
  readonly root: Address;
  readonly city: SigningDomain;
}

/** A call with its large members put back in their places. */
export interface WholeCall {
  readonly call: RecordedCall;
  readonly subject: string;
  readonly request: JsonObject;
}

/** Kinds whose answers carry a signature of their own. */
const SIGNING: ReadonlySet<CallName> = new Set(["sign", "seal", "receive", "reexecute", "refute"]);

/** The calls that the closing entry names; undefined where nobody elsewhere was asked. Throws for a block that is missing or is none. */
export function recordedCalls({ log, root, block }: CallSource): { readonly file: string; readonly recorded: RecordedCalls } | undefined {
  const entry = log.findLast(({ kind, subjects }) => kind === CLOSING_KIND && subjects.includes(root));
  if (entry?.content == null) return undefined;
  const { calls } = closingSchema.parse(block(entry.content));
  return calls === undefined ? undefined : { file: blockFile(calls), recorded: callsSchema.parse(block(calls)) };
}

/**
 * Every call is what its id says, its answer has its form, is signed for by the receiver and where it carries signatures by whoever was asked,
 * and is what the records that follow from it say. Returns the calls that can be read.
 */
export async function callsHold(source: CallSource, seen: Inspection): Promise<readonly WholeCall[]> {
  const found = recordedCalls(source);
  if (found === undefined) return [];
  const { file, recorded } = found;
  const whole: WholeCall[] = [];
  for (const call of recorded.calls) {
    const subject = `${call.kind} asked of ${call.to}, ${call.id.slice(0, 10)}`;
    await seen.part(
      subject,
      async () => {
        const request = wholeRequest(source, call, subject, seen);
        if (request === undefined) return;
        const id = keccak256(canonicalBytes(callIdParts(idOf(source.city), call.to, call.kind, request)));
        seen.same(call.id, id, `${subject}: what it says`, file);
        seen.holds(CALLS[call.kind].request.safeParse(request).success, subject, "has not the form of its kind", file);
        const isOver = call.answered !== undefined || call.silence !== undefined;
        seen.holds(isOver, subject, "has no answer, and nobody is said to have been silent", file);
        if (call.answered !== undefined) await answerHolds(source, { call, subject, request }, recorded.receiver, seen, file);
        whole.push({ call, subject, request });
      },
      file,
    );
  }
  return whole;
}

function idOf({ chain, addresses }: SigningDomain) {
  return { city: addresses.ConstitutionContract, chainId: chain.id };
}

function wholeRequest({ block, hasBlock }: CallSource, call: RecordedCall, subject: string, seen: Inspection): JsonObject | undefined {
  const members = Object.entries(call.large).map(([name, text]) => ({ name, id: parseContentId(text) }));
  const there = members.map(({ name, id }) => seen.holds(hasBlock(id), `${subject}: ${name}`, "is missing", blockFile(id)));
  if (!there.every(Boolean)) return undefined;
  return { ...call.payload, ...Object.fromEntries(members.map(({ name, id }) => [name, block(id)])) };
}

async function answerHolds(source: CallSource, whole: WholeCall, receiver: Address, seen: Inspection, file: string): Promise<void> {
  const { call, subject } = whole;
  const { answered: { answer, received, shown } = { answer: null } } = call;
  if (!seen.holds(CALLS[call.kind].answer.safeParse(answer).success, `${subject}: answer`, "has not the form of its kind", file)) return;
  if (seen.holds(received !== undefined, `${subject}: receipt`, "is missing", file) && received !== undefined) {
    seen.same([received.call, received.answer], [call.id, keccak256(canonicalBytes(answer))], `${subject}: receipt`, file);
    const { at, signature, ...message } = received;
    const typed = { domain: mailboxDomain(source.city.chain.id), types: mailboxTypes, primaryType: "Received" } as const;
    const by = await recovered(() => recoverTypedDataAddress({ ...typed, message: { ...message, at: BigInt(at) }, signature }));
    seen.holds(isSame(by, receiver), `${subject}: receipt`, "is not signed by the city's receiver", file);
  }
  if (SIGNING.has(call.kind))
    seen.holds(await isSigned(source.city, whole, answer), `${subject}: answer`, "is not signed by whoever was asked", file);
  if (shown !== undefined)
    seen.holds(await isShown(source.city, call, answer, shown), `${subject}: answer`, "was not sent by whoever was asked", file);
  followed(source, whole, answer, seen);
}

/** Whether the signature within an answer is of the account that was asked, over what it was asked to sign. */
async function isSigned(city: SigningDomain, { call: { kind, to }, request }: WholeCall, answer: JsonValue): Promise<boolean> {
  const isIts = (key: Hex) => isSame(publicKeyToAddress(key), to);
  if (kind === "sign") {
    const hash = digestOf(city, CALLS.sign.request.parse(request));
    const { signature } = CALLS.sign.answer.parse(answer);
    return hash !== undefined && isSame(await recovered(() => recoverAddress({ hash, signature })), to);
  }
  if (kind === "seal") {
    const { document } = CALLS.seal.request.parse(request);
    const { signature } = CALLS.seal.answer.parse(answer);
    return keyBehind(bytesUnder(document as ClearingDocument, to), signature, isIts) !== undefined;
  }
  const outcome = verificationOutcomeSchema.parse(CALLS.receive.answer.parse(answer).outcome);
  return isSame(outcome.verifier_id, to) && outcomeKey(outcome, isIts) !== undefined;
}

const MESSAGES = Object.keys(typedDataTypes) as MessageName[];
const OFF_CHAIN = Object.keys(sessionMessageTypes) as SessionMessageName[];

/** The digest of a message as a call names it, numbers as text; undefined for one that nobody signs. */
function digestOf(city: SigningDomain, { type, mission, message }: CallRequest<"sign">): Hash | undefined {
  const [name, offChain] = [MESSAGES.find((each) => each === type), OFF_CHAIN.find((each) => each === type)];
  if (name !== undefined) return messageDigest(city, name, message as never, mission ?? undefined);
  return offChain === undefined ? undefined : sessionDigest(city, offChain, message as never);
}

/** Whether whoever was asked signed the request that brought this answer to this call. */
export async function isShown(city: SigningDomain, { id, to }: RecordedCall, answer: JsonValue, shown: Shown): Promise<boolean> {
  const chainId = city.chain.id;
  if (shown.by === "request") {
    const body = shown.body === undefined ? canonicalBytes(answer) : new TextEncoder().encode(shown.body);
    if (canonicalJson(parseJson(new TextDecoder().decode(body))) !== canonicalJson(answer) || !shown.target.endsWith(id)) return false;
    return isSame(await recovered(() => recoverTypedDataAddress(requestShown(chainId, "POST", shown, body))), to);
  }
  const said = { call: id, answer };
  const body = shown.body === undefined ? canonicalBytes(said) : new TextEncoder().encode(shown.body);
  if (canonicalJson(parseJson(new TextDecoder().decode(body))) !== canonicalJson(said)) return false;
  const lines = shown.text.split("\n");
  const base64 = btoa(String.fromCharCode(...sha256Bytes(body)));
  const isRequest = lines.includes(`"content-digest": sha-256=:${base64}:`) && shown.text.includes(`keyid="erc8128:${chainId}:`);
  const isTool = lines[0] === "AgentCity tool answer_call" && lines[2] === String(chainId) && lines[3] === sha256(canonicalBytes(said));
  return (
    (isRequest || isTool) && isSame(await recovered(() => recoverMessageAddress({ message: shown.text, signature: shown.signature })), to)
  );
}

/** What follows from an answer in the records is what was answered. */
function followed(source: CallSource, { call: { kind, to }, subject, request }: WholeCall, answer: JsonValue, seen: Inspection): void {
  if (kind === "perform") {
    const { mission, node, attempt, slot } = CALLS.perform.request.parse(request);
    const place = [mission, node, attempt, slot];
    const said = CALLS.perform.answer.parse(answer);
    const [work, sealed] = [
      recordOf(source, "execution.work", place, workSchema),
      recordOf(source, "execution.sealed", place, sealedSchema),
    ];
    const found = said.status === "sealed" ? sealed : work;
    if (found === undefined) return;
    seen.same(workIn(found.value), workSaid(said), `work that followed from ${subject}`, blockFile(found.id));
  } else if (kind === "receive" || kind === "reexecute") {
    const { mission, node, attempt, slot } = CALLS.receive.request.parse(placeIn(request));
    const claim = recordOf(source, "execution.claim", [mission, node, attempt, slot], claimFileSchema);
    // Another's word may have been taken, and then it is another's claim.
    if (claim === undefined || !isSame(claim.value.outcome.verifier_id, to)) return;
    const { outcome, found } = CALLS.receive.answer.parse(answer);
    seen.same([claim.value.outcome, claim.value.found], [outcome, found], `claim that followed from ${subject}`, blockFile(claim.id));
  } else if (kind === "refute") {
    const { mission, node, attempt } = CALLS.refute.request.parse(request);
    const said = recordOf(source, "execution.refutations", [mission, node, attempt], wordSchema.array());
    const own = said?.value.find(({ item }) => isSame(item.issuer, to));
    // One word alone is no ground, and is not kept.
    if (said === undefined || own === undefined) return;
    const { outcome } = CALLS.refute.answer.parse(answer);
    seen.same(own.outcome, outcome, `refutation that followed from ${subject}`, blockFile(said.id));
  }
}

function workSaid(said: CallAnswer<"perform">): JsonValue {
  if (said.status === "failed") return null;
  const { tools, messages } = said;
  return said.status === "sealed" ? [said.work, tools, messages] : [said.output, tools, messages, said.trail];
}

function workIn(work: ReturnType<typeof workSchema.parse> | ReturnType<typeof sealedSchema.parse>): JsonValue {
  if (!work.ok) return null;
  const { tools, messages } = work;
  return "sealedId" in work ? [work.sealedId, tools, messages] : [work.outputId, tools, messages, work.trail];
}

/** Of a question to run code again, what it shares with one to receive bytes. */
function placeIn(request: JsonObject): JsonObject {
  const names = Object.keys(CALLS.receive.request.shape);
  return Object.fromEntries(Object.entries(request).filter(([name]) => names.includes(name)));
}

/** Not the form of a signature at all is nobody's. */
async function recovered(recover: () => Promise<Address>): Promise<Address | undefined> {
  try {
    return await recover();
  } catch {
    return undefined;
  }
}

function isSame(one: string | undefined, other: string): boolean {
  return one?.toLowerCase() === other.toLowerCase();
}

/** What an audit says of seats elsewhere beside its checks, by what was recorded of them. */
export function externalSeats(recorded: RecordedCalls | undefined): AuditReport["elsewhere"] {
  if (recorded === undefined) return NOBODY_ELSEWHERE;
  const { calls } = recorded;
  const unsigned = calls.filter(({ kind, answered }) => answered !== undefined && answered.shown === undefined && !SIGNING.has(kind));
  const silent = calls.flatMap((call) =>
    call.answered === undefined && call.silence !== undefined ? [{ ...call, silence: call.silence }] : [],
  );
  const unheard = silent.filter(({ silence: { by } }) => by !== "agent").length;
  return {
    unsigned: counted(unsigned).map(({ to, kinds }) => `${kinds}: unsigned by ${to}`),
    absent: silent.map(({ kind, to, answerBy, silence: { by, at, why } }) => {
      const until = answerBy === null ? "it was not asked" : `answerBy ${new Date(answerBy).toISOString()}`;
      return by === "agent"
        ? `${to} declined ${kind} at ${new Date(at).toISOString()}: ${why}`
        : `${to} let ${kind} pass: ${why} (wall clock; ${until})`;
    }),
    word: [
      `when it put ${calls.length} questions to seats elsewhere, and when answers came: these are times of its clock`,
      ...(unheard === 0 ? [] : [`that nothing came in time for ${unheard} of them: an answer without a receipt leaves no trace`]),
      "that whoever was asked could fetch the blocks that a question names",
    ],
  };
}

/** Kinds with their numbers, of each who was asked. */
function counted(calls: readonly RecordedCall[]): readonly { readonly to: Address; readonly kinds: string }[] {
  return [...new Set(calls.map(({ to }) => to))].map((to) => {
    const own = calls.filter((call) => call.to === to).map(({ kind }) => kind);
    const kinds = [...new Set(own)].map((kind) => `${kind} × ${own.filter((each) => each === kind).length}`);
    return { to, kinds: kinds.join(", ") };
  });
}
