import type { Hash } from "../primitives/hex.ts";
import { soldAs } from "../protocol/sold-as.ts";
import type { NodeView } from "./chain-view.ts";
import type { RegisteredService, World } from "./world.ts";

/**
 * Learns what agents sell who bid on chain without a seat here: a law admits code, and theirs is code that is here, or it could not have been
 * bid with. Where a node takes any code it may be unknown: this city cannot start such a node, and its time ends it.
 */
export async function learnStrangers(world: World, nodes: readonly NodeView[]): Promise<void> {
  const bound = nodes.flatMap(({ slots }) => slots.flatMap(({ committed, pledge }) => (committed ? [] : [pledge])));
  for (const id of new Set(bound)) await learnService(world, id);
}

/** The code behind a bound service, if it is here. */
export function knownService(world: Pick<World, "services" | "strangers">, id: Hash): RegisteredService | undefined {
  return world.services.find((service) => service.id === id) ?? world.strangers.get(id);
}

/** The same, as the chain has it registered: after an interruption nothing is known of who committed before. */
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
