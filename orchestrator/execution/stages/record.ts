import { z } from "zod";
import { intentKey } from "../../chain/outbox.ts";
import { agreementOf, type Submission } from "../../clearing/judgement.ts";
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
  const news: string[] = [];
  for (const view of completed) {
    const { label, number } = view.law;
    await world.remember(["result", mission.address, number], resultSchema, async () => {
      const result = await resultFor(world, mission, view);
      news.push(result.dissent.length === 0 ? label : `${label} (its executors differ on ${items(result.dissent.length)})`);
      return result;
    });
  }
  if (news.length === 0) return;
  const done = nodes.filter(({ state }) => state === "COMPLETED").length;
  world.tell(`${few(news)} done: ${done} of ${nodes.length} tasks`, { done, of: nodes.length });
}

function items(count: number): string {
  return count === 1 ? "1 item" : `${count} items`;
}

const MOST_NAMED = 4;

function few(names: readonly string[]): string {
  const rest = names.length - MOST_NAMED;
  return `${names.slice(0, MOST_NAMED).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

async function resultFor(world: World, mission: Mission, view: NodeView): Promise<NodeResult> {
  const { envelopes } = await docketOf(world, mission, view);
  const works = await submissions(world, envelopes);
  const { output, dissent, from } = resultFrom(view, works, (slot) => nameOfService(world, view, envelopes[slot]));
  for (const slot of from) {
    const work = envelopes[slot]?.work;
    if (work !== undefined) await noteTrace(world, mission, view, { slot, service: work.service, outputId: work.outputId });
  }
  return { outputId: await world.store.put(canonicalBytes(output)), outputHash: outputHashOf(output), dissent };
}

/** What a completed node hands on: a function of what its executors revealed. `from`: the slots that agree on it. */
export function resultFrom(view: Pick<NodeView, "law" | "agreeing">, works: readonly Submission[], by: (slot: number) => string) {
  const terms = termsOf(view);
  const agreeing = works.filter(({ slot }) => ((view.agreeing >> slot) & 1) === 1);
  const [first = works[0]] = agreeing;
  if (first?.output === undefined) throw new RangeError(`${view.law.label} is completed without an output`);
  const from = (agreeing.length > 0 ? agreeing : [first]).map(({ slot }) => slot);
  if (terms === undefined) return { output: first.output, dissent: [], from };
  const agreement = agreementOf(works, terms);
  const output: JsonObject = { ...first.output, items: z.array(z.json()).parse(agreement.items) };
  const dissent = agreement.disagreements.map(({ id, chosen: value, answers }) => ({
    id,
    chosen: value,
    answers: answers.map(({ slot, value: answer }) => ({ by: by(slot), value: answer ?? null })),
  }));
  return { output, dissent, from };
}

function nameOfService(world: World, { law }: NodeView, envelope: Envelope | undefined): string {
  return envelope === undefined ? "absent" : serviceById(world, envelope.work.service, law.services).name;
}
