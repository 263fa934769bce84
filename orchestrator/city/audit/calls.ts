import type { Panel } from "../../execution/clearing-record.ts";
import { addressSchema } from "../../primitives/address.ts";
import type { Address, Hex } from "../../primitives/hex.ts";
import { CALLS, type CallAnswer, type CallName, type CallRequest } from "../../protocol/calls.ts";
import { questions, verdictResults } from "../../protocol/evidence.ts";
import { decodeClearWave, decodeCommitWave, decodeRevealWave, type WireVerdict } from "../../rules/wire.ts";
import { BUNDLE_FILES } from "../bundle/bundle-layout.ts";
import type { AuditContext } from "./context.ts";
import { handedIn } from "./handed-in.ts";
import type { SlotHistory } from "./history.ts";
import { type Check, Inspection } from "./inspection.ts";
import { sentBids } from "./market.ts";
import { type CallSource, callsHold, recordedCalls, type WholeCall } from "./recorded-calls.ts";
import { isSentByCity } from "./signatures.ts";
import { panelOf } from "./verdicts.ts";

const CALLS_CHECK = { name: "CALLS", file: BUNDLE_FILES.log } as const;

/** What seats elsewhere were asked and answered, and that nothing stands on chain in their names that is not in there. */
export const calls: Check = {
  ...CALLS_CHECK,
  what: "every question to a seat elsewhere: what it says, its answer, receipt and signatures; every signature, bid, commitment, opening and verdict of such a seat against its answers",
  async run(context, seen) {
    const source = callSource(context);
    const isRoot = context.path === "";
    const whole = await callsHold(source, isRoot ? seen : new Inspection(CALLS_CHECK));
    if (isRoot) receiver(context, source, seen);
    signatures(context, whole, seen);
    offers(context, whole, seen);
    work(context, whole, seen);
    await verdicts(context, whole, seen);
  },
};

/** What was asked for a mission below is in the records of the one that the bundle is of. */
export function callSource({ log, block, hasBlock, client, outcome }: AuditContext): CallSource {
  return { log, block, hasBlock, root: addressSchema.parse(outcome.mission), city: client };
}

/** Whether a seat's key is not of the city's process. Who sent an act is another question: `isSentByCity`. */
const isElsewhere = ({ nameOf }: Pick<AuditContext, "nameOf">, account: Address) => nameOf(account) === account;

/** Who signed for answers is the runner that anchored the records. */
function receiver({ record }: AuditContext, source: CallSource, seen: Inspection): void {
  const found = recordedCalls(source);
  const [anchored] = record.events("CollaborationContract", "Anchored");
  if (found !== undefined) seen.same(found.recorded.receiver, anchored?.args.runner, "receiver of answers against the runner", found.file);
}

interface Answered<Kind extends CallName> {
  readonly to: Address;
  readonly request: CallRequest<Kind>;
  readonly answer: CallAnswer<Kind>;
}

/** Answered questions of a kind, with their types; those of another form were found already. */
function answered<Kind extends CallName>(whole: readonly WholeCall[], kind: Kind): readonly Answered<Kind>[] {
  return whole.flatMap(({ call, request }) => {
    if (call.kind !== kind || call.answered === undefined) return [];
    const [asked, said] = [CALLS[kind].request.safeParse(request), CALLS[kind].answer.safeParse(call.answered.answer)];
    if (!asked.success || !said.success) return [];
    return [{ to: call.to, request: asked.data as CallRequest<Kind>, answer: said.data as CallAnswer<Kind> }];
  });
}

/** Whatever the city sent in the name of a seat elsewhere was signed there when it was asked. */
function signatures(context: AuditContext, whole: readonly WholeCall[], seen: Inspection): void {
  const given = new Set(answered(whole, "sign").map(({ to, answer }) => `${to} ${answer.signature}`.toLowerCase()));
  for (const { what, signer, from, signature } of [...inSession(context), ...inMission(context)]) {
    // What others send for it, itself among them, nobody of this city asked it for.
    if (!isElsewhere(context, signer) || signature === "0x" || !isSentByCity(context, from)) continue;
    seen.holds(given.has(`${signer} ${signature}`.toLowerCase()), `${what} of ${signer}`, "follows from no recorded call");
  }
}

interface InName {
  readonly what: string;
  readonly signer: Address;
  readonly from: Address;
  readonly signature: Hex;
}

function inSession({ record, session }: AuditContext): readonly InName[] {
  const of = <Call extends { readonly args: readonly [bigint, ...unknown[]] }>(made: readonly Call[]) =>
    made.filter(({ args }) => args[0] === session);
  const by = (what: string, from: Address, { agent, signature }: { readonly agent: Address; readonly signature: Hex }) => ({
    ...{ what, signer: agent, from, signature },
  });
  return [
    ...of(record.calls("LegislativeProcedure", "propose")).map(({ from, args }) => by("proposal", from, args[3])),
    ...of(record.calls("LegislativeProcedure", "sponsor")).map(({ from, args }) => by("sponsorship", from, args[2])),
    ...of(record.calls("LegislativeProcedure", "strawPoll")).flatMap(({ from, args }) =>
      args[1].map((each) => by("straw ballot", from, each)),
    ),
    ...of(record.calls("LegislativeProcedure", "castBallots")).flatMap(({ from, args }) => args[1].map((each) => by("ballot", from, each))),
  ];
}

function inMission(context: AuditContext): readonly InName[] {
  const { record, mission } = context;
  const bids = sentBids(context).filter(({ offer }) => offer.mission === mission);
  const waves = record.calls("CollaborationContract", "commitWave");
  const clearings = [...record.calls("CollaborationContract", "clear"), ...record.calls("CollaborationContract", "advance")];
  const cleared = clearings.flatMap(({ from, args }) => (args[0] === "0x" ? [] : [{ from, ...decodeClearWave(args[0]) }]));
  return [
    ...bids.map(({ from, auth: { agent, signature } }) => ({ what: "bid", signer: agent, from, signature })),
    ...waves.flatMap(({ from, args }) =>
      decodeCommitWave(args[0]).signers.map(({ agent, signature }) => ({ what: "commitments", signer: agent, from, signature })),
    ),
    ...cleared.flatMap(({ from, issuers, verifiers }) => [
      ...issuers.map(({ issuer, signature }) => ({ what: "evidence", signer: issuer, from, signature })),
      ...verifiers.map(({ verifier, signature }) => ({ what: "verdicts", signer: verifier, from, signature })),
    ]),
  ];
}

/** A bid for a node names a price that was offered for it. */
function offers(context: AuditContext, whole: readonly WholeCall[], seen: Inspection): void {
  const { mission, nameOf, label } = context;
  const made = answered(whole, "bid").filter(({ request }) => isSame(request.mission, mission));
  for (const { from, offer, auth } of sentBids(context)) {
    const { agent } = auth;
    if (offer.mission !== mission || !isElsewhere(context, agent) || !isSentByCity(context, from)) continue;
    const own = made.filter(({ to }) => isSame(to, agent)).flatMap(({ answer }) => answer);
    const isOffered = own.some(({ node, price }) => node === offer.node && BigInt(price) === offer.price);
    seen.holds(isOffered, `bid of ${nameOf(agent)} for ${label(offer.node)}`, "is none of its recorded offers");
  }
}

/** Commitments and what opened them are what their executors said. */
function work(context: AuditContext, whole: readonly WholeCall[], seen: Inspection): void {
  const { record, history, nameOf, label } = context;
  const [pledged, opened] = [answered(whole, "pledge"), answered(whole, "open")];
  // Whoever works alone on a node opens what it commits to at once.
  const ofCity = ({ from }: { readonly from: Address }) => isSentByCity(context, from);
  const sent = record
    .calls("CollaborationContract", "commitWave")
    .filter(ofCity)
    .flatMap(({ args }) => decodeCommitWave(args[0]).pledges);
  const relayed = new Set(sent.filter((pledge) => "commitment" in pledge).map(keyOf));
  const later = record
    .calls("CollaborationContract", "revealWave")
    .filter(ofCity)
    .flatMap(({ args }) => decodeRevealWave(args[0]));
  const revealed = new Set([...sent.filter((pledge) => "opening" in pledge), ...later].map(keyOf));
  for (const executor of history.slots) {
    if (!isElsewhere(context, executor.agent)) continue;
    const subject = `${nameOf(executor.agent)} at ${label(executor.node)}, slot ${executor.slot}`;
    const isOf = ({ to, request }: Answered<"pledge" | "open">) => isSame(to, executor.agent) && isAt(request, context.mission, executor);
    if (executor.commitment !== undefined && relayed.has(keyOf(executor))) {
      const said = pledged.filter(isOf).map(({ answer }) => answer.commitment);
      seen.holds(said.includes(executor.commitment), `commitment of ${subject}`, "is none that it answered");
    }
    if (executor.revealed === undefined || !revealed.has(keyOf(executor))) continue;
    const { salt, outputHash, trailRoot, envelopeRoot } = executor.revealed;
    const said = opened.filter(isOf).map(({ answer }) => [answer.salt, answer.outputHash, answer.trailRoot, answer.envelopeRoot].join());
    seen.holds(said.includes([salt, outputHash, trailRoot, envelopeRoot].join()), `opening of ${subject}`, "is none that it answered");
  }
}

/** Verdicts on chain are what their verifiers answered. */
async function verdicts(context: AuditContext, whole: readonly WholeCall[], seen: Inspection): Promise<void> {
  const judged = answered(whole, "judge");
  const { record } = context;
  // What others handed in, the verifier itself among them, stands in the clearing that follows, whoever sends that.
  const others = new Set(
    (["post", "clear", "advance"] as const).flatMap((name) =>
      record
        .calls("CollaborationContract", name)
        .filter(({ from, args }) => !isSentByCity(context, from) && args[0] !== "0x")
        .flatMap(({ at, args }) => givenIn(context, at, args[0])),
    ),
  );
  for (const { node, at, verdicts: given } of await handedIn(context)) {
    const attempt = context.history.attemptAt(node, at);
    for (const { verifier, ...verdict } of given) {
      if (!isElsewhere(context, verifier) || others.has(givenAs({ node, attempt }, verifier, verdict))) continue;
      const { question, result, confidence, score, agreeing, basis } = verdict;
      const asked = judged.filter(({ to, request }) => isSame(to, verifier) && isAt(request, context.mission, { node, attempt }));
      const said = asked.flatMap(({ answer }) =>
        answer.map((each) => [...wordsOf(each), each.confidence, each.score, each.agreeing, each.basis].join()),
      );
      const stands = [questions[question], verdictResults[result], confidence, score, agreeing, basis].join();
      seen.holds(said.includes(stands), `verdict of ${context.nameOf(verifier)} on ${context.label(node)}`, "is none that it answered");
    }
  }
}

/** The verdicts that a wave says in full. */
function givenIn({ history }: AuditContext, at: bigint, wave: Hex): readonly string[] {
  const { orders, verifiers } = decodeClearWave(wave);
  return verifiers.flatMap(({ verifier, verdicts: list }) =>
    list.flatMap((verdict) => {
      const node = typeof verdict === "string" ? undefined : orders[verdict.order]?.node;
      if (typeof verdict === "string" || node === undefined) return [];
      return [givenAs({ node, attempt: history.attemptAt(node, at) }, verifier, verdict)];
    }),
  );
}

function givenAs(
  { node, attempt }: Pick<SlotHistory, "node" | "attempt">,
  verifier: Address,
  { question, result, confidence, score, agreeing, basis }: WireVerdict,
): string {
  return [node, attempt, verifier.toLowerCase(), question, result, confidence, score, agreeing, basis].join();
}

const wordsOf = ({ question, result }: CallAnswer<"judge">[number]) => [question, result];

/** Who was bound or drawn and did nothing by the chain's clock, in words. */
export async function absentOnChain(context: AuditContext): Promise<readonly string[]> {
  const { history, label, path } = context;
  const at = (node: number, attempt: number) =>
    `${path === "" ? "" : `${path}: `}${label(node)}${attempt === 0 ? "" : `, attempt ${attempt + 1}`}`;
  const idle = history.slots.filter(({ agent, commitment }) => commitment === undefined && isElsewhere(context, agent));
  const lines = idle.map(
    ({ agent, node, attempt }) => `${agent} committed nothing for ${at(node, attempt)} (chain's clock; its node's deadline)`,
  );
  for (const order of await handedIn(context)) {
    const attempt = history.attemptAt(order.node, order.at);
    const panel: Panel = await panelOf(context, { at: order.at, node: order.node, attempt });
    for (const verifier of panel.map((seat) => addressSchema.parse(seat.verifier))) {
      const isSilent = !order.verdicts.some((each) => isSame(each.verifier, verifier));
      if (isSilent && isElsewhere(context, verifier))
        lines.push(`${verifier} was drawn and gave no verdict on ${at(order.node, attempt)} (chain's clock; the clearing)`);
    }
  }
  return lines;
}

const keyOf = ({ node, attempt, slot }: Pick<SlotHistory, "node" | "attempt" | "slot">) => `${node}/${attempt}/${slot}`;

/** Whether a question is about this place in this mission; a verdict is about all its slots. */
function isAt(
  request: { readonly mission: Address; readonly node: number; readonly attempt: number; readonly slot?: number },
  mission: Address,
  { node, attempt, slot }: { readonly node: number; readonly attempt: number; readonly slot?: number },
): boolean {
  const isThere = request.node === node && request.attempt === attempt && (slot === undefined || request.slot === slot);
  return isThere && isSame(request.mission, mission);
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
