import { canonicalBytes } from "../../primitives/json.ts";
import { isBranch, type NodeView } from "../chain-view.ts";
import { resultFrom } from "../consensus.ts";
import { noteTrace } from "../guardian/traces.ts";
import { type NodeResult, outputHashOf, resultSchema, serviceById } from "../work.ts";
import type { Mission, World } from "../world.ts";
import type { Envelope } from "./commit.ts";
import { docketOf, submissions } from "./verify.ts";

/**
 * Stage 7: stores what completed nodes pass on to their successors. Their entitlements were recorded by the panel or human that completed
 * them.
 */
export async function record(world: World, mission: Mission, nodes: readonly NodeView[]): Promise<void> {
  const completed = nodes.filter((view) => view.state === "COMPLETED" && !isBranch(view));
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
  world.progress(`${few(news)} done: ${done} of ${nodes.length} tasks`, { done, of: nodes.length });
}

function items(count: number): string {
  return count === 1 ? "1 item" : `${count} items`;
}

const MAX_NAMED = 4;

function few(names: readonly string[]): string {
  const rest = names.length - MAX_NAMED;
  return `${names.slice(0, MAX_NAMED).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

async function resultFor(world: World, mission: Mission, view: NodeView): Promise<NodeResult> {
  const { envelopes, openings } = await docketOf(world, mission, view);
  const works = (await submissions(world, { envelopes, openings })).filter(({ output }) => output !== undefined);
  const { output, dissent, from } = resultFrom(view, works, (slot) => nameOfService(world, view, envelopes[slot]));
  for (const slot of from) {
    const work = envelopes[slot]?.work;
    if (work !== undefined) await noteTrace(world, mission, view, { slot, service: work.service, outputId: work.outputId });
  }
  return { outputId: await world.store.put(canonicalBytes(output)), outputHash: outputHashOf(output), dissent };
}

function nameOfService(world: World, { law }: NodeView, envelope: Envelope | undefined): string {
  return envelope === undefined ? "absent" : serviceById(world, envelope.handed.service, law.services).name;
}
