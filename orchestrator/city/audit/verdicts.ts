import { CallExecutionError, encodeFunctionData } from "viem";
import { nonEmptyOutputAbi } from "../../chain/abi/NonEmptyOutput.ts";
import type { Panel } from "../../execution/clearing-record.ts";
import type { Address, Hash } from "../../primitives/hex.ts";
import { actionNumber } from "../../protocol/actions.ts";
import { classAt, EvidenceClass, geq, meet, REFUTATION, raise } from "../../rules/admissibility.ts";
import { decide, drawnWeight, VerdictResult, type WeighedVerdict } from "../../rules/clearing.ts";
import { commitmentOf, evidenceLeafOf, type Opening } from "../../rules/commitments.ts";
import { unpackMissionParams } from "../../rules/mission-params-codec.ts";
import { verifyInclusion } from "../../rules/ordered-merkle.ts";
import { drawPanel, panelSeed } from "../../rules/panel-draw.ts";
import { BUNDLE_FILES } from "../bundle/bundle-layout.ts";
import type { ChainContext } from "./context.ts";
import { type HandedIn, handedIn, type Known, postedBefore } from "./handed-in.ts";
import type { ChainCheck, Inspection } from "./inspection.ts";
import { withRefutations } from "./refutations.ts";

/** One clearing, with all that decides it. */
interface Clearing {
  readonly at: bigint;
  readonly node: number;
  readonly attempt: number;
  readonly subject: string;
  readonly openings: readonly Opening[];
  readonly verdicts: HandedIn["verdicts"];
  readonly items: HandedIn["items"];
  readonly classWords: readonly bigint[];
}

/** Only members of the drawn panel signed the verdicts; Γ over them gives the chain's decision (RAILS 5.3; decisions 20–23). */
export const verdicts: ChainCheck = {
  name: "VERDICTS",
  what: "the panel drawn again, signature of every verdict, evidence classes proven again, every decision decided again, every gate asked again",
  file: BUNDLE_FILES.chain,
  async run(context, seen) {
    const { record, label } = context;
    const cleared = record.events("CollaborationContract", "Cleared");
    const orders = await handedIn(context);
    seen.same(orders.length, cleared.length, "clearings that were asked for and that took place");
    for (const order of orders) {
      const { at } = order;
      const event = cleared.find((each) => each.hash === order.hash && each.args.node === order.node);
      if (!seen.holds(event !== undefined, `clearing of ${label(order.node)}`, "has no decision on chain") || event === undefined) continue;
      const { node, attempt } = event.args;
      const subject = `clearing of ${label(node)}${attempt === 0 ? "" : `, attempt ${attempt + 1}`}`;
      await seen.part(subject, async () => {
        const classWords = await provenClasses(context, seen, { ...order, at, attempt, subject });
        const clearing = { ...order, at, attempt, subject, classWords };
        const weighed = await weigh(context, seen, clearing);
        const heard = withRefutations(context, seen, clearing, weighed.verdicts);
        const shown = { ...clearing, classWords: await withPosted(context, { ...clearing, classWords: heard.classWords }) };
        decided(context, seen, shown, { ...weighed, verdicts: heard.verdicts }, event.args);
        if (event.args.result === PASS) await gated(context, seen, clearing, event);
      });
    }
    await released(context, seen);
  },
};

/** Effective classes per slot: the claimed class where leaf, proof and issuer support it, otherwise at most SIGN. */
export async function provenClasses(
  context: ChainContext,
  seen: Inspection,
  { at, node, attempt, subject, openings, items }: Pick<Clearing, "at" | "node" | "attempt" | "subject" | "openings" | "items">,
): Promise<readonly bigint[]> {
  const { history, law, roles } = context;
  const obligation = history.obligation(node, attempt);
  const redundancy = law.nodes[node]?.redundancy ?? 0;
  const present = history.commitmentsAt(node, attempt, redundancy, at);
  const classes = openings.map((opening, slot): EvidenceClass[] => {
    const executor = history.slot(node, attempt, slot);
    if (executor === undefined || isZero(present[slot])) return [];
    seen.same(commitmentOf(executor.agent, opening, obligation), present[slot], `${subject}: opening of slot ${slot}`);
    return Array.from({ length: opening.items }, (_, item) => meet(classAt(opening.classes, item), EvidenceClass.SIGN));
  });
  for (const { proof, isSigned, ...item } of items) {
    if (item.index === REFUTATION) continue;
    const name = `${subject}: item ${item.index} of slot ${item.slot}`;
    const opening = openings[item.slot];
    const own = classes[item.slot];
    if (
      !seen.holds(opening !== undefined && own !== undefined && item.index < own.length, name, "is of no opened envelope") ||
      opening === undefined
    )
      continue;
    const claimed = classAt(BigInt(item.class), 0);
    const leaf = evidenceLeafOf(obligation, { ...item, class: claimed });
    seen.holds(verifyInclusion(opening.envelopeRoot, leaf, item.index, opening.items, proof), name, "is not in the envelope");
    seen.holds(isSigned, name, "is not signed by its issuer");
    const issuer = roles.before(at).issuers.get(item.issuer);
    seen.holds(((issuer?.classes ?? 0) >> item.class) % 2 === 1, name, "is by nobody registered for its class");
    if (own !== undefined) own[item.index] = meet(classAt(opening.classes, item.index), claimed);
  }
  return classes.map((own) => own.reduce<bigint>((word, code, item) => word | (BigInt(code) << BigInt(3 * item)), 0n));
}

/** What a posted verdict rests on was proven when it was posted, at the floor, whoever of its issuers is revoked since. */
export async function withPosted(
  context: Known,
  { at, node, verdicts, classWords }: Pick<Clearing, "at" | "node" | "verdicts" | "classWords">,
): Promise<readonly bigint[]> {
  const posted = await postedBefore(context, at);
  const bases = verdicts.filter(({ said, result }) => posted.has(said) && result !== VerdictResult.ABSTAIN).map(({ basis }) => basis);
  return raise(
    classWords,
    bases.reduce((all, basis) => all | basis, 0n),
    classAt(BigInt(context.law.nodes[node]?.floor ?? 0), 0),
  );
}

interface Weighed {
  readonly verdicts: readonly WeighedVerdict[];
  /** Weight of the whole panel, and its members. */
  readonly drawn: number;
  readonly seats: number;
}

/** Checks who judged and what they signed; gives the verdicts their weight. */
async function weigh(context: ChainContext, seen: Inspection, clearing: Clearing): Promise<Weighed> {
  const { nameOf } = context;
  const { subject } = clearing;
  const panel = await panelOf(context, clearing);
  const weightOf = (one: Address) => panel.find(({ verifier }) => verifier === one)?.weight;
  const answered = new Set<string>();
  const weighed: WeighedVerdict[] = [];
  for (const { isSigned, ...verdict } of clearing.verdicts) {
    const { verifier, question } = verdict;
    const name = `${subject}: verdict of ${nameOf(verifier)}`;
    const weight = weightOf(verifier) ?? 0;
    seen.holds(weightOf(verifier) !== undefined, name, "is by nobody who was drawn");
    seen.holds(!answered.has(`${verifier}/${question}`), name, "is a second one on the same question");
    answered.add(`${verifier}/${question}`);
    seen.holds(isSigned, name, "is not signed by its verifier, for this work");
    if (isQuestion(question) && isResult(verdict.result)) weighed.push({ ...verdict, question, result: verdict.result, weight });
  }
  return { verdicts: weighed, drawn: drawnWeight(panel.map(({ weight }) => weight)), seats: panel.length };
}

/** Who was drawn, each with its weight on the roster of that block: nothing, if it has lost its office since. */
export async function panelOf(
  { history, law, client, chain, mission, roles }: ChainContext,
  { at, node, attempt }: Pick<Clearing, "at" | "node" | "attempt">,
): Promise<Panel> {
  const blockNumber = history.drawBlockAt(node, at);
  if (blockNumber === undefined) return [];
  const { hash } = await chain.publicClient.getBlock({ blockNumber });
  const { sponsor } = await client.mission(mission).context();
  const excluded = [sponsor, ...history.executors(node, attempt).map(({ agent }) => roles.principalOf(agent))];
  const { rosters, verifiers } = roles.before(at);
  const seats = rosters.findLast(({ since }) => since <= blockNumber)?.seats ?? [];
  const drawn = drawPanel(panelSeed(hash, mission, node, attempt), law.nodes[node]?.panelSize ?? 0, seats, excluded);
  return drawn.map((verifier) => {
    const holds = verifiers.some(({ address, weight }) => address === verifier && weight > 0);
    return { verifier, weight: holds ? (seats.find(({ address }) => address === verifier)?.weight ?? 0) : 0 };
  });
}

function decided(
  { law, record, session }: ChainContext,
  seen: Inspection,
  { node, subject, classWords }: Clearing,
  { verdicts, drawn, seats }: Weighed,
  event: {
    readonly result: number;
    readonly confidence: number;
    readonly score: number;
    readonly evidenceClass: number;
    readonly basis: bigint;
    readonly agreeing: number;
  },
): void {
  const terms = law.nodes[node];
  const opened = record.events("LegislativeProcedure", "SessionOpened").find(({ args }) => args.session === session);
  if (terms === undefined || opened === undefined) throw new RangeError(`no law for node ${node}`);
  const { minConfidence } = unpackMissionParams(opened.args.params);
  const decision = decide(verdicts, {
    classWords,
    floor: classAt(BigInt(terms.floor), 0),
    questions: terms.questions,
    minConfidence: minConfidence[terms.risk] ?? 0,
    slots: terms.redundancy,
    drawn,
    seats,
  });
  const { result, confidence, score, evidenceClass, basis, agreeing } = event;
  seen.same(
    [result, confidence, score, evidenceClass, basis, agreeing],
    [decision.result, decision.confidence, decision.score, decision.class, decision.basis, decision.agreeing],
    `${subject}: decision`,
  );
  const passed = decision.result === PASS;
  seen.holds(!passed || geq(decision.class, classAt(BigInt(terms.floor), 0)), subject, "passed below the law's floor");
}

/** What the law's predicate says of the output that agreed, asked again in the state of that block; a human's veto needs none. */
async function gated(
  { law, client, chain, mission, record, history }: ChainContext,
  seen: Inspection,
  { at, node, attempt, subject, openings }: Clearing,
  { hash, block, args: { agreeing } }: { readonly hash: Hash; readonly block: bigint; readonly args: { readonly agreeing: number } },
): Promise<void> {
  const number = law.nodes[node]?.predicate ?? 0;
  if (number === 0) return;
  const decision = record.events("CollaborationContract", "GateDecided").find((each) => each.hash === hash && each.args.node === node);
  if (!seen.holds(decision !== undefined, `gate of ${subject}`, "has no decision on chain") || decision === undefined) return;
  const isHeld = record.calls("AdjudicationProcedure", "act").some(({ at: acted, args: [{ action, mission: about, node: of }] }) => {
    const isVeto = action === actionNumber("VETO_OUTPUT") && about === mission && of === node;
    return isVeto && acted < at && history.attemptAt(node, acted) === attempt;
  });
  const output = openings.find((_, slot) => ((agreeing >> slot) & 1) === 1)?.outputHash;
  const address = await client.execution.predicateOf(number);
  const { allowed: said } = decision.args;
  const allows = !isHeld && output !== undefined && (await answered(chain, address, [mission, node, output], { block, said }));
  seen.same(said, allows, `gate of ${subject}`);
}

/** The gate on the mission's whole output, asked again of what its last node handed in. */
async function released({ law, client, chain, mission, record, history }: ChainContext, seen: Inspection): Promise<void> {
  const decision = record.events("CollaborationContract", "OutputDecided").at(-1);
  if (decision === undefined) return;
  const number = law.header.outputPredicate;
  if (number === 0) return void seen.holds(decision.args.allowed, "gate of the output", "vetoed what no gate was asked about");
  const last = law.nodes.length - 1;
  const decided = [...record.events("CollaborationContract", "Cleared"), ...record.events("CollaborationContract", "ReviewApproved")];
  const ruling = decided
    .filter(({ at, hash, args }) => (at < decision.at || hash === decision.hash) && args.node === last)
    .toSorted((a, b) => (a.at < b.at ? -1 : 1))
    .at(-1);
  // A node that is a mission hands up what was decided about there.
  if (ruling === undefined) return;
  const { attempt, agreeing } = ruling.args;
  const output = history.executors(last, attempt).find(({ slot }) => ((agreeing >> slot) & 1) === 1)?.revealed?.outputHash;
  const address = await client.execution.predicateOf(number);
  const { allowed: said } = decision.args;
  const asked = { block: decision.block, said };
  const allows = output !== undefined && (await answered(chain, address, [mission, last, output], asked));
  seen.same(said, allows, "gate of the output");
}

/** What a predicate said in a block: as it answers at the block's end, or at its beginning, since others may tell it something in between. */
async function answered(
  chain: ChainContext["chain"],
  to: Address,
  args: readonly [Address, number, Hash],
  { block, said }: { readonly block: bigint; readonly said: boolean },
): Promise<boolean> {
  const after = await allowed(chain, to, args, block);
  return after === said ? after : allowed(chain, to, args, block - 1n);
}

/** Anything but the word 1 is a veto, a refusal to answer too. */
async function allowed(
  { publicClient }: ChainContext["chain"],
  to: Address,
  args: readonly [Address, number, Hash],
  blockNumber: bigint,
): Promise<boolean> {
  const question = encodeFunctionData({ abi: nonEmptyOutputAbi, functionName: "allows", args });
  try {
    const { data } = await publicClient.call({ to, data: question, blockNumber });
    return data !== undefined && data.length >= 66 && BigInt(data.slice(0, 66)) === 1n;
  } catch (error) {
    if (error instanceof CallExecutionError) return false;
    throw error;
  }
}

/** `ClearingResult.PASS`. */
const PASS = 1;

function isQuestion(code: number): code is WeighedVerdict["question"] {
  return code === 0 || code === 1;
}

function isResult(code: number): code is WeighedVerdict["result"] {
  return code === 0 || code === 1 || code === 2;
}

function isZero(hash: `0x${string}` | undefined): boolean {
  return hash === undefined || BigInt(hash) === 0n;
}
