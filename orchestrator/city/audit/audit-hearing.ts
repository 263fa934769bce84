/** What a panel judged of a job of somebody's escrow, verified from its bundle alone. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { concat, encodeAbiParameters, keccak256, zeroAddress } from "viem";
import type { CityChain } from "../../chain/chain.ts";
import { isTooHeavy } from "../../chain/errors.ts";
import { openTranscript } from "../../chain/open-transcript.ts";
import { type ReplayLimits, replayLimits } from "../../chain/replay-limits.ts";
import { liveChainIn, openWitnessedChain, requireUrl } from "../../chain/witnessed-chain.ts";
import { type CityClient, createCityClient } from "../../client/client.ts";
import { openingUnder } from "../../client/openings.ts";
import { engineOf } from "../../execution/clearing-record.ts";
import {
  admissibleItems,
  HEARING_OUTCOMES,
  judgementsOnJob,
  MAX_EARLIER,
  obligationOfJob,
  partiesTo,
  sizeOfPanel,
  submittedSince,
  viewHearing,
} from "../../execution/hearing.ts";
import { verdictOf } from "../../execution/judging.ts";
import { messageOf } from "../../primitives/errors.ts";
import type { Address, Hash } from "../../primitives/hex.ts";
import { type JsonObject, parseCanonicalJson } from "../../primitives/json.ts";
import { accountOfKey } from "../../primitives/recovery.ts";
import { type AuditReport, NOBODY_ELSEWHERE } from "../../protocol/audit-report.ts";
import { commissionHash, deliverableOf, hearingKey } from "../../protocol/hearing.ts";
import { type Bundle, openBundle } from "../../records/bundle.ts";
import { BundleDamaged } from "../../records/errors.ts";
import { classAt, EvidenceClass, meet } from "../../rules/admissibility.ts";
import { decide, drawnWeight, survives, type WeighedVerdict, weightOf } from "../../rules/clearing.ts";
import { commitmentOf, evidenceLeafOf, type Opening } from "../../rules/commitments.ts";
import { verifyInclusion } from "../../rules/ordered-merkle.ts";
import { drawPanel, panelSeed } from "../../rules/panel-draw.ts";
import { decodeClearWave, type WireVerdict } from "../../rules/wire.ts";
import { BUNDLE_FILES } from "../bundle/bundle-layout.ts";
import {
  courseOf,
  HEARING_FILE,
  type HearingCourse,
  type HearingFile,
  handedInWith,
  hearingFileSchema,
  isHearingSigned,
} from "../bundle/hearing-bundle.ts";
import { type AuditOptions, broken, CHAIN, FILES, headOf, WITNESSED, witnessed } from "./audit-bundle.ts";
import { AuditFailed, AuditTooHeavy } from "./audit-failed.ts";
import { beginningOf, ReplayedRecord } from "./chain-record.ts";
import { hexOf } from "./documents.ts";
import { type HandedIn, signedIn } from "./handed-in.ts";
import { type Check, Inspection } from "./inspection.ts";
import { Roles } from "./roles.ts";

/** A hearing as its bundle tells of it, and the chain that its transcript gives. */
export interface HearingContext {
  readonly file: HearingFile;
  readonly chain: CityChain;
  readonly client: CityClient;
  readonly record: ReplayedRecord;
  readonly roles: Roles;
  readonly key: Hash;
  readonly obligation: Hash;
  /** Blocks before a job is registered in which what was submitted counts. */
  readonly earlier: number;
}

export interface HearingCheck extends Omit<Check, "run" | "scope"> {
  readonly run: (context: HearingContext, seen: Inspection) => Promise<void>;
}

const record: HearingCheck = {
  name: "RECORD",
  what: "the signature of the city's engine on the whole record, and that the city's contracts are there",
  file: HEARING_FILE,
  async run({ file, chain, roles }, seen) {
    const { engine, clearing_engine, record: said } = file;
    const account = accountOfKey(hexOf(engine));
    seen.holds(isHearingSigned(file), "the record", "is not what the engine signed");
    seen.same(clearing_engine, engineOf(account), "the engine's name");
    const runners = [...roles.before(END).runners.keys()].map((runner) => runner.toLowerCase());
    seen.holds(runners.includes(account.toLowerCase()), "the engine", "is of nobody registered as a runner");
    seen.same(said.chainId, chain.id, "the chain");
    const addresses = Object.entries(said.addresses);
    seen.same(new Set(addresses.map(([, address]) => address)).size, addresses.length, "contracts, each at its own address");
    for (const [name, address] of addresses) {
      const code = await chain.publicClient.getCode({ address });
      seen.holds(code !== undefined && code !== "0x", name, "is no contract of this chain");
    }
  },
};

const terms: HearingCheck = {
  name: "TERMS",
  what: "the job's terms against what both parties registered, its commission against what they agreed on",
  file: HEARING_FILE,
  async run({ file, client, obligation }, seen) {
    const { terms: own, commission } = file.record;
    seen.same(obligation, (await viewHearing(client, own)).obligation, "digest of the terms against the chain's");
    seen.same(commissionHash(commission), own.agreementHash, "hash of the commission against the terms'");
  },
};

const work: HearingCheck = {
  name: "WORK",
  what: "the work against the provider's commitment, and against what it submitted to the escrow",
  file: HEARING_FILE,
  async run(context, seen) {
    const { file, client } = context;
    const { terms: own, work: delivered, course } = file.record;
    const { work: committed } = await viewHearing(client, own);
    seen.holds(delivered !== null || course.decisions.length === 0, "the work", "is not here, though a panel decided about it");
    if (delivered === null) return;
    seen.same(commitmentOf(own.provider, openingIn(context), context.obligation), committed, "the work against the provider's commitment");
    // A panel hears no other work; of one that decided nothing anything may have been submitted.
    if (course.decisions.length === 0) return;
    const [registered] = await client.evaluator.history("Registered", { key: context.key });
    if (!seen.holds(registered !== undefined, "the job", "is not registered") || registered === undefined) return;
    // A city looks no further back: no job is brought before it is registered.
    const submitted = await submittedSince(client, own, Math.max(0, Number(registered.blockNumber) - context.earlier));
    seen.same(submitted?.deliverable, deliverableOf(delivered.output), "the work against what the escrow was given");
  },
};

const course: HearingCheck = {
  name: "COURSE",
  what: "every panel, decision, challenge and end, as the chain tells of them",
  file: HEARING_FILE,
  async run({ file, client }, seen) {
    const { terms: own, course: said } = file.record;
    const again = await courseOf(client, own);
    for (const part of ["panels", "decisions", "challenge", "end"] as const) seen.same(said[part], again[part], part);
  },
};

const verdicts: HearingCheck = {
  name: "VERDICTS",
  what: "each panel drawn again, signature of every item and verdict, evidence classes proven again, every decision decided again",
  file: BUNDLE_FILES.chain,
  async run(context, seen) {
    for (const hearing of await evaluations(context, seen)) {
      const { subject, said, drawn } = hearing;
      const word = classesOf(context, seen, hearing);
      const weighed: WeighedVerdict[] = [];
      for (const { isSigned, verifier, ...verdict } of said.verdicts) {
        const seat = drawn.find((each) => each.verifier === verifier);
        seen.holds(seat !== undefined, `${subject}: verdict of ${verifier}`, "is by nobody who was drawn");
        seen.holds(isSigned, `${subject}: verdict of ${verifier}`, "is not signed by its verifier, for this work");
        const [question, result] = [verdict.question === 0 ? 0 : 1, RESULTS.find((each) => each === verdict.result)] as const;
        if (result !== undefined) weighed.push({ ...verdict, question, result, weight: seat?.weight ?? 0 });
      }
      decidedAgain(context, seen, hearing, word, weighed);
    }
  },
};

const judgements: HearingCheck = {
  name: "JUDGEMENTS",
  what: "what each member of a panel signed against what follows from the work by the commission, the evidence and what its model said",
  file: HEARING_FILE,
  async run(context, seen) {
    const { file, obligation } = context;
    const { terms: own, commission, work: delivered, said: models } = file.record;
    if (delivered === null) return;
    for (const { at, subject, said, about } of await evaluations(context, seen)) {
      const then = clientBefore(context, at);
      const items = await admissibleItems(then, own, delivered.items);
      for (const verifier of new Set(said.verdicts.map((each) => each.verifier))) {
        const asked = { verifier, obligation, ask: async () => models[verifier] };
        const found = await judgementsOnJob(then, { terms: own, commission, work: workIn(delivered), items }, asked);
        const due = found.map((judgement) => verdictOf(judgement, about));
        const has = said.verdicts.filter((each) => each.verifier === verifier);
        seen.same(answersIn(has), answersIn(due), `${subject}: judgement of ${verifier}, made again`);
      }
    }
  },
};

/** What verdicts answer, by question. */
function answersIn(verdicts: readonly Omit<WireVerdict, "order">[]) {
  return verdicts
    .map(({ question, result, confidence, score, basis, agreeing }) => ({ question, result, confidence, score, basis, agreeing }))
    .toSorted((one, other) => one.question - other.question);
}

const money: HearingCheck = {
  name: "MONEY",
  what: "the share that the job ended with against what was decided, every unit that moved with it against the share",
  file: BUNDLE_FILES.chain,
  async run({ file, client, obligation }, seen) {
    const { terms: own, course: said } = file.record;
    const { end, panels } = said;
    if (!seen.holds(end !== null, "the job", "is not over") || end === null) return;
    const last = standing(said);
    seen.same(end.outcome, last.outcome, "outcome against the last decision");
    const passed = last.outcome === "PASS" && last.score >= own.passScore;
    seen.same(end.share, passed ? (own.graduated ? last.score : WHOLE) : 0, "share against the last decision");
    const { work: committed = ZERO } = await viewHearing(client, own);
    const outcome = HEARING_OUTCOMES.indexOf(end.outcome);
    const values = [obligation, committed, panels.length, outcome, last.score] as const;
    seen.same(end.reason, keccak256(encodeAbiParameters(REASON, values)), "reason that the escrow was given");
    const sum = (...kinds: readonly string[]) =>
      end.moved.filter(({ what }) => kinds.includes(what)).reduce((all, { amount }) => all + BigInt(amount), 0n);
    const whole = sum("released", "refunded");
    if (whole > 0n) seen.same(sum("released"), (whole * BigInt(end.share)) / BigInt(WHOLE), "what was released of the whole");
    const parties: readonly string[] = [own.client, own.provider];
    for (const { what, to } of end.moved)
      if (what !== "transferred") seen.holds(parties.includes(to), `what was ${what}`, "went to nobody of the job");
  },
};

/** What stands in the end: what the last panel decided, or, where a challenge led to no decision, what the first one had. */
function standing({ panels, decisions, challenge }: HearingCourse): Pick<HearingCourse["decisions"][number], "outcome" | "score"> {
  const nothing = { outcome: "NONE", score: 0 } as const;
  const by = (panel: number) => decisions.findLast((each) => each.panel === panel) ?? nothing;
  const last = by(panels.length);
  return challenge !== null && last.outcome !== "PASS" && last.outcome !== "FAIL" ? by(1) : last;
}

/** Everything that an audit of a hearing verifies, in order. */
export const hearingChecks: readonly HearingCheck[] = [record, terms, work, course, verdicts, judgements, money];

const END = 2n ** 255n;
const WHOLE = 10_000;
const ZERO = `0x${"00".repeat(32)}` as const;
const RESULTS = [0, 1, 2] as const;
const REASON = [{ type: "bytes32" }, { type: "bytes32" }, { type: "uint8" }, { type: "uint8" }, { type: "uint16" }] as const;

/** One hand-in that decided something. */
interface Evaluation {
  readonly at: bigint;
  readonly subject: string;
  readonly said: Pick<HandedIn, "items" | "verdicts">;
  readonly opening: Opening;
  readonly about: { readonly obligation: Hash; readonly commitment: Hash; readonly draw: number };
  readonly drawn: readonly { readonly verifier: Address; readonly weight: number }[];
  readonly before: { readonly outcome: number; readonly score: number } | undefined;
  readonly decided: {
    readonly outcome: number;
    readonly confidence: number;
    readonly score: number;
    readonly class: number;
    readonly basis: bigint;
  };
}

/** Every decision with what it was made of, whoever handed it in: with another contract's help it counts as well. */
async function evaluations(context: HearingContext, seen: Inspection): Promise<readonly Evaluation[]> {
  const { record: happened, key, obligation, client, file } = context;
  const { work: commitment = ZERO } = await viewHearing(client, file.record.terms);
  const found: Evaluation[] = [];
  const events = happened.events("ClearingEvaluator", "Decided").filter(({ args }) => args.key === key);
  for (const [place, { hash, at: decidedAt, args: decided }] of events.entries()) {
    const subject = `decision ${place + 1}`;
    await seen.part(subject, async () => {
      const earlier = events.slice(0, place).filter((each) => each.hash === hash);
      const handed = (await handedInWith(client, key, hash))?.[earlier.length];
      const unread = "was handed in by another contract, and this chain's node traces no calls";
      if (!seen.holds(handed !== undefined, subject, unread) || handed === undefined) return;
      const at = beginningOf(decidedAt);
      const wave = decodeClearWave(handed);
      const [opening] = wave.orders[0]?.openings ?? [];
      const { drawn, draw } = await panelAt(context, at);
      const about = { obligation, commitment, draw };
      const said = await signedIn(client, client.addresses.ClearingEvaluator, wave, () => about);
      if (opening === undefined) throw new RangeError("no work was opened");
      // A later hand-in adds to what stands of its panel: the higher score, and no contradiction.
      const before = events.slice(0, place).findLast(({ args }) => args.panel === decided.panel)?.args;
      found.push({ at, subject, said, opening, about, drawn, decided, before });
    });
  }
  return found;
}

/** Who was drawn, each with what it weighed by then. */
async function panelAt({ record: happened, key, chain, client, roles, file }: HearingContext, at: bigint) {
  const { terms: own } = file.record;
  const isThis = (each: { readonly at: bigint; readonly args: { readonly key: Hash } }) => each.at < at && each.args.key === key;
  const seated = happened.events("ClearingEvaluator", "PanelDrawn").findLast(isThis);
  if (seated === undefined) throw new RangeError("no panel was drawn");
  const { drawBlock, panel } = seated.args;
  const isLarger = happened.events("ClearingEvaluator", "Challenged").some(isThis);
  const { hash } = await chain.publicClient.getBlock({ blockNumber: drawBlock });
  const { rosters, verifiers } = roles.before(at);
  const seats = rosters.findLast(({ since }) => since <= drawBlock)?.seats ?? [];
  const seed = panelSeed(keccak256(concat([hash, key])), client.addresses.ClearingEvaluator, 0, panel);
  const drawn = drawPanel(seed, sizeOfPanel(own, isLarger), seats, partiesTo(own)).map((verifier) => {
    const holds = verifiers.some(({ address, weight }) => address === verifier && weight > 0);
    return { verifier, weight: holds ? (seats.find(({ address }) => address === verifier)?.weight ?? 0) : 0 };
  });
  return { drawn, draw: Number(drawBlock) };
}

/** What each item is worth: its claimed class where it is in the envelope and an issuer of no party signed it; else at most SIGN. */
function classesOf({ obligation, roles, file }: HearingContext, seen: Inspection, { at, subject, said, opening }: Evaluation): bigint {
  const { issuers } = roles.before(at);
  const parties: readonly string[] = partiesTo(file.record.terms);
  const classes = Array.from({ length: opening.items }, (_, item) => meet(classAt(opening.classes, item), EvidenceClass.SIGN));
  for (const { proof, isSigned, ...item } of said.items) {
    const name = `${subject}: item ${item.index}`;
    const own = classAt(BigInt(item.class), 0);
    const leaf = evidenceLeafOf(obligation, { ...item, class: own });
    seen.holds(verifyInclusion(opening.envelopeRoot, leaf, item.index, opening.items, proof), name, "is not in the envelope");
    seen.holds(isSigned, name, "is not signed by its issuer");
    const issuer = issuers.get(item.issuer);
    seen.holds(((issuer?.classes ?? 0) >> item.class) % 2 === 1, name, "is by nobody registered for its class");
    seen.holds(!parties.includes(item.issuer) && !parties.includes(issuer?.principal ?? ""), name, "is by a party");
    classes[item.index] = meet(classAt(opening.classes, item.index), own);
  }
  return classes.reduce<bigint>((word, code, item) => word | (BigInt(code) << BigInt(3 * item)), 0n);
}

function decidedAgain(
  { file }: HearingContext,
  seen: Inspection,
  { subject, drawn, decided, before }: Evaluation,
  word: bigint,
  weighed: readonly WeighedVerdict[],
): void {
  const { terms: own } = file.record;
  const whole = drawnWeight(drawn.map(({ weight }) => weight));
  const asked = { classWords: [word], floor: classAt(BigInt(own.floor), 0), questions: own.questions, minConfidence: own.minConfidence };
  const decision = decide(weighed, { ...asked, slots: 1, drawn: whole, seats: drawn.length });
  const first = own.questions % 2 === 1 ? 0 : 1;
  const praise = weighed.filter(
    (each) =>
      each.question === first &&
      each.result === PASS &&
      each.confidence >= own.minConfidence &&
      survives(each, { ...asked, slots: 1, drawn: whole, seats: drawn.length }),
  );
  // The highest score that more than half of the drawn weight gives at least.
  const reached = praise.filter(({ score }) => 2 * weightOf(praise.filter((each) => each.score >= score)) > whole);
  const score = decision.result === PASS ? Math.max(0, ...reached.map((each) => each.score)) : 0;
  seen.same(
    [decided.outcome, decided.confidence, decided.score, decided.class, decided.basis],
    [
      before !== undefined && before.outcome !== decision.result ? CONTRADICTED : decision.result,
      decision.confidence,
      Math.max(score, before?.score ?? 0),
      decision.class,
      decision.basis,
    ],
    `${subject}, decided again`,
  );
}

/** `ClearingResult.PASS`, `VerdictResult.PASS` and `Outcome.PASS`: 1; FAIL is 2 in all of them. */
const PASS = 1;
const CONTRADICTED = HEARING_OUTCOMES.indexOf("CONTRADICTED");

function openingIn({ file, obligation }: HearingContext): Opening {
  const { work: delivered } = file.record;
  if (delivered === null) throw new RangeError("no work is here");
  const { output, salt, trailRoot, items } = delivered;
  return openingUnder({ obligation, outputHash: deliverableOf(workIn({ output })), trailRoot, items }, salt);
}

/** JSON in a file is JSON: the schema says no more of it. */
const workIn = ({ output }: { readonly output: NonNullable<HearingFile["record"]["work"]>["output"] }): JsonObject => ({ ...output });

/** The client as of a point of the chain, as far as who issues and who answers for whom goes. */
function clientBefore({ client, roles }: HearingContext, at: bigint): CityClient {
  const { issuers } = roles.before(at);
  return {
    ...client,
    agents: { ...client.agents, principalOf: async (agent) => roles.principalOf(agent) },
    evidence: {
      ...client.evidence,
      principalOf: async (account) => issuers.get(account)?.principal ?? zeroAddress,
      mayIssue: async (account, own) => ((issuers.get(account)?.classes ?? 0) >> own) % 2 === 1,
    },
  };
}

/** Whether a folder holds the bundle of a hearing. */
export function isHearingBundle(dir: string): boolean {
  return existsSync(join(dir, HEARING_FILE));
}

/**
 * Verifies what a panel judged of a job from its bundle alone, as `auditBundle` does a mission. Throws AuditFailed with the report, or
 * AuditTooHeavy.
 */
export async function auditHearing(dir: string, { head: known, effort, rpcUrl }: AuditOptions = {}): Promise<AuditReport> {
  const limits = replayLimits(effort);
  let context: HearingContext;
  let files: number;
  try {
    const bundle = openBundle(dir);
    files = bundle.files.size;
    context = await contextOf(bundle, limits, rpcUrl);
  } catch (error) {
    if (isTooHeavy(error)) throw new AuditTooHeavy(messageOf(error), limits, error);
    if (error instanceof BundleDamaged) throw new AuditFailed(broken(FILES, error.file, error));
    throw new AuditFailed(broken(CHAIN, BUNDLE_FILES.chain, error instanceof Error ? error : new Error(messageOf(error))));
  }
  const { chain, file } = context;
  try {
    const head = chain.head();
    const checks: AuditReport["checks"][number][] = [
      { ...headOf(FILES), verified: files, findings: [] },
      {
        ...headOf(chain.isLive ? { ...CHAIN, what: WITNESSED } : CHAIN),
        ...{ verified: Number(head.number - chain.firstBlock) + 1, findings: known === undefined ? [] : witnessed(head.hash, known) },
      },
    ];
    for (const check of hearingChecks) checks.push(await inspectHearing(check, context));
    const report: AuditReport = {
      passed: checks.every(({ findings }) => findings.length === 0),
      ...{ mission: null, name: `job ${file.record.terms.jobId} of ${file.record.terms.escrow}` },
      ...{ head: { number: Number(head.number), hash: head.hash }, root: null },
      trusts: [
        "that the last block is the city's own: compare its hash with another witness",
        "the city's engine for what verifiers' models said: what they signed of it is on chain",
      ],
      ...{ elsewhere: NOBODY_ELSEWHERE, checks },
    };
    if (!report.passed) throw new AuditFailed(report);
    return report;
  } finally {
    await chain.close();
  }
}

/** One check of a hearing; whatever it stumbles over is a finding. */
export async function inspectHearing(check: HearingCheck, context: HearingContext): Promise<AuditReport["checks"][number]> {
  const seen = new Inspection(check);
  await seen.part("this check", () => check.run(context, seen));
  return { ...headOf(check), ...seen.result() };
}

async function contextOf(bundle: Bundle, limits: ReplayLimits, rpcUrl: string | undefined): Promise<HearingContext> {
  const file = readHearing(bundle.text(HEARING_FILE));
  const transcript = bundle.text(BUNDLE_FILES.chain);
  const live = liveChainIn(transcript);
  const chain: CityChain =
    live === undefined
      ? await openTranscript(transcript, limits, rpcUrl)
      : await openWitnessedChain(transcript, requireUrl(rpcUrl, live.name));
  try {
    return await openHearing(chain, file, limits);
  } catch (error) {
    await chain.close();
    throw error;
  }
}

/** A hearing on a chain that was opened. */
export async function openHearing(chain: CityChain, file: HearingFile, limits: ReplayLimits = replayLimits()): Promise<HearingContext> {
  const { addresses, terms: own } = file.record;
  const client = createCityClient({ chain, addresses });
  const happened = await ReplayedRecord.read(chain, addresses, addresses.ClearingEvaluator, limits.events);
  return {
    ...{ file, chain, client, record: happened, roles: new Roles(happened) },
    ...{ key: hearingKey(own.escrow, BigInt(own.jobId)), obligation: obligationOfJob(client, own), earlier: MAX_EARLIER },
  };
}

function readHearing(text: string): HearingFile {
  try {
    return hearingFileSchema.parse(parseCanonicalJson(text));
  } catch (error) {
    throw new BundleDamaged(HEARING_FILE, `cannot be read: ${messageOf(error)}`, error);
  }
}
