import type { Case } from "../../adjudication/case.ts";
import type { Appeal, AppealCase } from "../../adjudication/rule-on-appeal.ts";
import type { NodeView } from "../../execution/chain-view.ts";
import { type Halt, haltKey, haltSchema } from "../../execution/guardian/freeze-mirror.ts";
import { watchTerms } from "../../execution/guardian/terms.ts";
import { freezeWords } from "../../execution/guardian/words.ts";
import { gateDecision } from "../../execution/stages/gate.ts";
import { docketOf } from "../../execution/stages/verify.ts";
import { attemptKey, readOutput, workSchema } from "../../execution/work.ts";
import type { Mission, World } from "../../execution/world.ts";
import { BASIS_POINTS } from "../../primitives/amounts.ts";
import { contentIdFromDigest } from "../../primitives/hash.ts";
import type { JsonObject } from "../../primitives/json.ts";
import { encodeActionData } from "../../protocol/actions.ts";
import type { City } from "../city.ts";
import { nameOf } from "../founding/society.ts";

const EXCERPT = 4_000;

/** The work of a node in readable form, and the verifiers' finding. */
async function workOf(world: World, mission: Mission, view: NodeView) {
  const { envelopes, ...docket } = await docketOf(world, mission, view);
  const cleared = await lastClearing(world, mission, view);
  const score = cleared?.score ?? 0;
  const [first] = envelopes.flatMap((envelope) => envelope?.work ?? []);
  const text = first === undefined ? "{}" : describeOutput(await readOutput(world, first.outputId));
  return { ...docket, cleared, score, text, quality: score / BASIS_POINTS, risk: 1 - (cleared?.confidence ?? 0) / BASIS_POINTS };
}

function describeOutput(output: JsonObject): string {
  return typeof output["document"] === "string" ? output["document"] : JSON.stringify(output);
}

/** The Guardian's finding and the anomalous work, which is not committed yet in hybrid mode. */
async function findingOf(world: World, mission: Mission, view: NodeView, halt: Halt): Promise<string> {
  const words = freezeWords(halt, await watchTerms(world, mission));
  const found = `Frozen by the guardian (${halt.reason} ${halt.magnitude}): ${words} Its snapshot is ${halt.snapshot}.`;
  const works = await Promise.all(halt.slots.map((slot) => world.recall(["work", ...attemptKey(mission, view), slot], workSchema)));
  const [work] = works.filter((each) => each !== undefined);
  if (work === undefined) return found;
  return `${found}\n\n${work.ok ? describeOutput(await readOutput(world, work.outputId)) : `${work.fault}: ${work.details}`}`;
}

/** Puts a case together from chain and records: the verifiers' finding, the work itself, and the evidence an approval would rest on. */
export async function caseOf(world: World, mission: Mission, view: NodeView): Promise<Case> {
  const contract = world.client.mission(mission.address);
  const { openings, items, basis, cleared, score, text, quality, risk } = await workOf(world, mission, view);
  const halt = view.state === "FROZEN" ? await world.recall(haltKey(mission, view, view.freezes - 1), haltSchema) : undefined;
  const shown = halt === undefined ? text : await findingOf(world, mission, view, halt);
  return {
    mission: mission.address,
    node: view.law.number,
    label: view.law.label,
    caseHash: await contract.caseHash(view.law.number),
    reason: await reasonOf(world, mission, view, cleared?.result === PASS),
    quality,
    risk,
    ...(view.law.rubric === undefined ? {} : { rubric: view.law.rubric }),
    excerpt: `Goal: ${mission.document.goal}\n\n${shown}`.slice(0, EXCERPT),
    approval: encodeActionData("APPROVE_POP", [basis, score, openings, items]),
    deadline: Number(view.deadline),
    escalated: await isEscalated(world, mission, view),
  };
}

async function reasonOf(world: World, mission: Mission, view: NodeView, isPassed: boolean): Promise<Case["reason"]> {
  if (view.state === "FROZEN") return "frozen";
  if (!isPassed) return "disputed";
  return (await gateDecision(world, mission, view)) === false ? "vetoed" : "human tier";
}

async function isEscalated(world: World, { address }: Mission, { law, state, attempt }: NodeView): Promise<boolean> {
  if (state !== "PENDING_REVIEW") return false;
  const escalated = await world.client.mission(address).history("ReviewEscalated", { node: law.number });
  return escalated.some(({ args }) => args.attempt === attempt);
}

/**
 * The open appeals on a node, from chain and records: one case per attempt that has any. Work of an earlier attempt is not read again: it
 * is in the records under its own commitments.
 */
export async function appealsOn(city: City, world: World, mission: Mission, view: NodeView): Promise<readonly AppealCase[]> {
  const contract = world.client.mission(mission.address);
  const node = view.law.number;
  const cases: AppealCase[] = [];
  for (let attempt = 0; attempt <= view.attempt; attempt++) {
    const [open] = await contract.appealsOf(node, attempt);
    if (open === 0) continue;
    const { text, quality, risk } = attempt === view.attempt ? await workOf(world, mission, view) : EARLIER;
    cases.push({
      mission: mission.address,
      node,
      label: view.law.label,
      attempt,
      caseHash: await contract.caseHash(node),
      appeals: await filedOn(city, mission, node, attempt),
      quality,
      risk,
      excerpt: text.slice(0, EXCERPT),
    });
  }
  return cases;
}
const EARLIER = { text: "The work of an earlier attempt.", quality: 0, risk: 1 };

/** Appeals on an attempt, in the order of filing. */
async function filedOn({ client, society, blocks }: City, { address }: Mission, node: number, attempt: number): Promise<readonly Appeal[]> {
  const filed = await client.mission(address).history("AppealFiled", { node });
  return filed
    .filter(({ args }) => args.attempt === attempt)
    .map(({ args: { appellant, bond, evidence } }) => {
      const id = contentIdFromDigest(evidence);
      return {
        appellant: nameOf(society, appellant),
        bond,
        evidence: blocks.has(id) ? new TextDecoder().decode(blocks.get(id)).slice(0, EXCERPT) : undefined,
      };
    });
}
/** `ClearingResult.PASS`, and what a share of one is. */
const PASS = 1;

async function lastClearing(world: World, mission: Mission, { law, attempt }: NodeView) {
  const events = await world.client.mission(mission.address).history("Cleared", { node: law.number });
  return events.map(({ args }) => args).findLast((args) => args.attempt === attempt);
}
