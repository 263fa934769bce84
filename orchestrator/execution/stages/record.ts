import { z } from "zod";
import { intentKey } from "../../chain/outbox.ts";
import { agreementOf } from "../../clearing/judgement.ts";
import { writeMany } from "../../client/write.ts";
import { canonicalBytes, type JsonObject } from "../../primitives/json.ts";
import { isBranch, type NodeView } from "../chain-view.ts";
import { noteTrace } from "../guardian/traces.ts";
import { attemptKey, type NodeResult, outputHashOf, resultSchema, serviceById } from "../work.ts";
import type { Mission, World } from "../world.ts";
import type { Envelope } from "./commit.ts";
import { docketOf, submissions, termsOf } from "./verify.ts";

/** Stage 7: turns completed nodes into provisional entitlements, and keeps what they hand to their successors. */
export async function record(world: World, mission: Mission, nodes: readonly NodeView[]): Promise<void> {
  const completed = nodes.filter((view) => view.state === "COMPLETED" && !isBranch(view));
  const due = completed.filter(({ recorded }) => !recorded);
  const { call } = world.client.mission(mission.address);
  await writeMany(
    world.client,
    due.map((view) => call.record([view.law.number], { intent: intentKey("record", ...attemptKey(mission, view)) })),
  );
  for (const view of completed) {
    const result = await world.remember(["result", mission.address, view.law.number], resultSchema, () => resultFor(world, mission, view));
    if (due.includes(view))
      world.tell(`${view.law.label}: recorded${result.dissent.length === 0 ? "" : `, executors differ on ${result.dissent.length}`}`);
  }
}

async function resultFor(world: World, mission: Mission, view: NodeView): Promise<NodeResult> {
  const { envelopes } = await docketOf(world, mission, view);
  const works = await submissions(world, envelopes);
  const terms = termsOf(view);
  const agreeing = works.filter(({ slot }) => ((view.agreeing >> slot) & 1) === 1);
  const [first = works[0]] = agreeing;
  if (first?.output === undefined) throw new RangeError(`${view.law.label} is completed without an output`);
  for (const { slot } of agreeing.length > 0 ? agreeing : [first]) {
    const work = envelopes[slot]?.work;
    if (work !== undefined) await noteTrace(world, mission, view, { slot, service: work.service, outputId: work.outputId });
  }
  if (terms === undefined) return { ...(await store(world, first.output)), dissent: [] };
  const agreement = agreementOf(works, terms);
  const output = { ...first.output, items: z.array(z.json()).parse(agreement.items) };
  const by = (slot: number) => nameOfService(world, envelopes[slot]);
  const dissent = agreement.disagreements.map(({ id, chosen: value, answers }) => ({
    id,
    chosen: value,
    answers: answers.map(({ slot, value: answer }) => ({ by: by(slot), value: answer ?? null })),
  }));
  return { ...(await store(world, output)), dissent };
}

async function store(world: World, output: JsonObject): Promise<Pick<NodeResult, "outputId" | "outputHash">> {
  return { outputId: await world.store.put(canonicalBytes(output)), outputHash: outputHashOf(output) };
}

function nameOfService(world: World, envelope: Envelope | undefined): string {
  return envelope === undefined ? "absent" : serviceById(world, envelope.work.service).name;
}
