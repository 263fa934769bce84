import type { Hash } from "../primitives/hex.ts";
import { soldAs } from "../protocol/sold-as.ts";
import type { NodeView } from "./chain-view.ts";
import type { RegisteredService, World } from "./world.ts";

/**
 * Learns the services of agents that bid on chain without a seat here. A law admits code, so theirs is known here; otherwise they could not
 * have bid. If a node admits any code it may be unknown: this city cannot start such a node, and it expires.
 */
export async function learnStrangers(world: World, nodes: readonly NodeView[]): Promise<void> {
  const bound = nodes.flatMap(({ slots }) => slots.flatMap(({ committed, pledge }) => (committed ? [] : [pledge])));
  for (const id of new Set(bound)) await learnService(world, id);
}

/** The code behind a bound service, if known here. */
export function knownService(world: Pick<World, "services" | "strangers">, id: Hash): RegisteredService | undefined {
  return world.services.find((service) => service.id === id) ?? world.strangers.get(id);
}

/** The same from its on-chain registration: after an interruption earlier committers are unknown. */
export async function learnService(world: World, id: Hash): Promise<RegisteredService | undefined> {
  const known = knownService(world, id);
  if (known !== undefined) return known;
  const [registered] = await world.client.services.history("ServiceRegistered", { service: id });
  if (registered === undefined) return undefined;
  const { owner, codeHash, schemaHash, endpoint, constraints } = registered.args;
  const same = world.services.find(({ record }) => record.codeHash === codeHash && record.schemaHash === schemaHash);
  if (same === undefined) return undefined;
  const name = soldAs(registered.args);
  const learnt = { ...same, id, name, owner, record: { owner, codeHash, schemaHash, endpoint, constraints } };
  world.strangers.set(id, learnt);
  return learnt;
}
