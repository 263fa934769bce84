import { isAddressEqual } from "viem";
import { z } from "zod";
import { IDENTITY_ABI, registryName } from "../../escrow/registries.ts";
import { addressSchema } from "../../primitives/address.ts";
import { contentIdFromDigest } from "../../primitives/hash.ts";
import { type Address, hashSchema } from "../../primitives/hex.ts";
import { actionName } from "../../protocol/actions.ts";
import { KINDS } from "../../protocol/kinds.ts";
import { type Command, command, type FrontWorld } from "../command.ts";
import { Refused } from "../errors.ts";
import { pageOfPayloads } from "../payloads.ts";
import { address, contentId, count, hash, pageInput, pageOf, seconds, toAddress, units } from "../wire.ts";
import { textOf } from "./justification.ts";

const kindNames = Object.keys(KINDS) as readonly (keyof typeof KINDS)[];

export const agentOutput = z.strictObject({
  agent: address,
  principal: address,
  kind: z.string(),
  isBanned: z.boolean(),
  /** Whole points, 0–1000. */
  reputation: count,
  registeredAt: seconds,
  stake: z.strictObject({ held: units, locked: units, unbondingUntil: seconds }),
  /** Its id at an ERC-8004 identity registry, `eip155:<chain>:<registry>/<agentId>`; null without one. */
  erc8004: z.string().nullable(),
});

const registeredSchema = z.object({ agent: addressSchema });
const serviceSchema = z.object({
  service: hashSchema,
  owner: addressSchema,
  codeHash: hashSchema,
  schemaHash: hashSchema,
  endpoint: z.string(),
});
const actSchema = z.object({
  digest: hashSchema,
  action: z.number(),
  mission: addressSchema,
  node: z.number(),
  target: addressSchema,
  adjudicators: z.array(addressSchema),
  justification: hashSchema,
});

/** An agent's id at the identity registry: registered by itself, or by its principal with the agent's account as its wallet. */
async function identityOf({ client, identities }: FrontWorld, agent: Address): Promise<string | null> {
  if (identities === undefined) return null;
  const { publicClient, id } = client.chain;
  const { principal } = await client.agents.agentOf(agent);
  const registry = { address: identities, abi: IDENTITY_ABI } as const;
  const registered = await publicClient.getContractEvents({
    ...{ ...registry, eventName: "Registered", args: { owner: [agent, principal] }, fromBlock: 0n, strict: true },
  });
  for (const { args } of registered.toReversed()) {
    const wallet = await publicClient.readContract({ ...registry, functionName: "getAgentWallet", args: [args.agentId] });
    if (isAddressEqual(wallet, agent)) return `${registryName(id, identities)}/${args.agentId}`;
  }
  return null;
}

async function describeAgent(world: FrontWorld, agent: Address): Promise<z.input<typeof agentOutput>> {
  const { client } = world;
  const [record, stake, reputation] = await Promise.all([
    client.agents.agentOf(agent),
    client.agents.stakeOf(agent),
    client.agents.reputationOf(agent),
  ]);
  return {
    agent,
    principal: record.principal,
    kind: kindNames[record.kind] ?? "NONE",
    isBanned: record.banned,
    reputation: Number(reputation),
    registeredAt: record.registeredAt,
    stake: { held: stake.held.toString(), locked: stake.locked.toString(), unbondingUntil: stake.unbondingUntil },
    erc8004: await identityOf(world, agent),
  };
}

export const memberCommands: readonly Command[] = [
  command({
    name: "list_agents",
    method: "GET",
    path: "/v1/agents",
    group: "Members",
    doc: "All registered participants: principal, kind, reputation, stake.",
    access: "open",
    cost: 5,
    input: z.strictObject(pageInput),
    output: pageOf(agentOutput),
    async run(world, query) {
      const { payloads, next } = await pageOfPayloads(world, { ...query, name: "ProducerContract.AgentRegistered" }, registeredSchema);
      return { items: await Promise.all(payloads.map(({ args }) => describeAgent(world, args.agent))), next };
    },
  }),
  command({
    name: "get_agent",
    method: "GET",
    path: "/v1/agents/{agent}",
    group: "Members",
    doc: "One agent's current on-chain state. Each change of its reputation is an event: list_events with agent and eventType.",
    access: "open",
    cost: 2,
    input: z.strictObject({ agent: address }),
    output: agentOutput,
    async run(world, input) {
      const found = await describeAgent(world, toAddress(input.agent));
      if (found.kind === "NONE") throw new Refused("NotFound", `No participant is registered as ${found.agent}`);
      return found;
    },
  }),
  command({
    name: "list_services",
    method: "GET",
    path: "/v1/services",
    group: "Members",
    doc: "Services that agents offer: code hash, schema hash, endpoint, and whether a bid may still name them.",
    access: "open",
    cost: 5,
    input: z.strictObject(pageInput),
    output: pageOf(
      z.strictObject({ service: hash, owner: address, codeHash: hash, schemaHash: hash, endpoint: z.string(), isLive: z.boolean() }),
    ),
    async run(world, query) {
      const { payloads, next } = await pageOfPayloads(world, { ...query, name: "ServiceContract.ServiceRegistered" }, serviceSchema);
      return {
        items: await Promise.all(payloads.map(async ({ args }) => ({ ...args, isLive: await world.client.services.isLive(args.service) }))),
        next,
      };
    },
  }),
  command({
    name: "list_acts",
    method: "GET",
    path: "/v1/acts",
    group: "Members",
    doc: "Adjudicators' acts, with signers and reasons.",
    access: "open",
    cost: 3,
    input: z.strictObject(pageInput),
    output: pageOf(
      z.strictObject({
        digest: hash,
        action: z.string(),
        mission: address,
        node: count,
        target: address,
        adjudicators: z.array(address),
        justification: hash,
        /** Content id of the text; its sha2-256 is `justification`. */
        justificationCid: contentId,
        /** Present if this city stores the text. */
        because: z.string().nullable(),
        timestamp: count,
        transaction: hash.nullable(),
        block: count,
        eventId: hash,
      }),
    ),
    async run(world, query) {
      const { payloads, next } = await pageOfPayloads(world, { ...query, name: "AdjudicationProcedure.OverrideExecuted" }, actSchema);
      const items = payloads.map(({ event, args }) => ({
        ...args,
        action: actionName(args.action) ?? String(args.action),
        because: textOf(world.blocks, args.justification),
        justificationCid: contentIdFromDigest(args.justification),
        timestamp: event.timestamp,
        transaction: event.transactionHash,
        block: event.blockNumber,
        eventId: event.eventId,
      }));
      return { items, next };
    },
  }),
];
