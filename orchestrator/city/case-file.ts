import type { Case } from "../adjudication/case.ts";
import type { NodeView } from "../execution/chain-view.ts";
import { haltKey, haltSchema } from "../execution/guardian/freeze-mirror.ts";
import { docketOf } from "../execution/stages/verify.ts";
import { readOutput } from "../execution/work.ts";
import type { Mission, World } from "../execution/world.ts";
import { encodeActionData } from "../protocol/actions.ts";

const EXCERPT = 4_000;

/** Puts a case together from chain and records: what the mesh found, what the work says, what an approval would rest on. */
export async function caseOf(world: World, mission: Mission, view: NodeView): Promise<Case> {
  const contract = world.client.mission(mission.address);
  const { envelopes, openings, items, basis } = await docketOf(world, mission, view);
  const cleared = await lastClearing(world, mission, view);
  const score = cleared?.score ?? 0;
  const [first] = envelopes.flatMap((envelope) => (envelope === undefined ? [] : [envelope]));
  const output = first === undefined ? {} : await readOutput(world, first.work.outputId);
  const halt = view.state === "FROZEN" ? await world.recall(haltKey(mission, view, view.freezes - 1), haltSchema) : undefined;
  const found = halt === undefined ? "" : `The guardian found ${halt.reason} ${halt.magnitude}; its snapshot is ${halt.snapshot}.\n\n`;
  const text = typeof output["document"] === "string" ? output["document"] : JSON.stringify(output);
  return {
    mission: mission.address,
    node: view.law.number,
    label: view.law.label,
    caseHash: await contract.caseHash(view.law.number),
    reason: view.state === "FROZEN" ? "frozen" : cleared?.result === PASS ? (view.law.tier === 3 ? "human tier" : "vetoed") : "disputed",
    quality: score / WHOLE,
    risk: 1 - (cleared?.confidence ?? 0) / WHOLE,
    excerpt: (found + text).slice(0, EXCERPT),
    approval: encodeActionData("APPROVE_POP", [openings, items, basis, score]),
  };
}

/** `ClearingResult.PASS`, and what a share of one is. */
const PASS = 1;
const WHOLE = 10_000;

async function lastClearing(world: World, mission: Mission, { law, attempt }: NodeView) {
  const events = await world.client.mission(mission.address).history("Cleared", { node: law.number });
  return events.map(({ args }) => args).findLast((args) => args.attempt === attempt);
}
