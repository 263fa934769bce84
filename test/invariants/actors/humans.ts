/** Adjudicators, governance, the Regulator and the sponsor. */
import { AbiCoder, id, ZeroHash } from "ethers";
import { hexSchema } from "../../../orchestrator/primitives/hex.ts";
import { encodeActionData } from "../../../orchestrator/protocol/actions.ts";
import { PARAMETERS } from "../../../orchestrator/protocol/parameters.ts";
import { directly, tokens } from "../../support/city-fixture.ts";
import { Action, NodeState } from "../../support/mission-fixture.ts";
import { orderOn } from "../../support/orders.ts";
import type { FuzzMission } from "../fuzz-mission.ts";
import { ANY, type CityMove, type NodeMove, tried } from "../move.ts";
import type { World } from "../world.ts";

const { WAITING, ELIGIBLE, EXECUTING, PENDING_VERIFICATION, PENDING_REVIEW, FROZEN, COMPLETED, FAILED } = NodeState;

/** As many adjudicators sign as an action needs, anybody relays. */
export async function act(mission: FuzzMission, node: number, world: World, action: number, data = "0x", signers = 1) {
  const { random, adjudicators, adjudication } = world;
  const chosen = random.shuffle(adjudicators).slice(0, signers);
  const order = { data, salt: BigInt(random.int(1_000_000)), deadline: await mission.soon() };
  const message = await orderOn(mission, action, node, order);
  const signatures = [];
  for (const adjudicator of chosen.sort((a, b) => (BigInt(a.address) < BigInt(b.address) ? -1 : 1))) {
    const signature = await world.signOrder(message, adjudicator);
    signatures.push({ adjudicator: adjudicator.address, signature });
  }
  return adjudication.act(message, signatures);
}

const MANDATE = hexSchema.parse(id("amended mandate"));
const RESOLUTION = "tuple(uint8 attempt,uint8 filed,uint16 upheld,uint16 share,uint64 slash,uint8 culprits)";

async function resolve(mission: FuzzMission, node: number, world: World): Promise<unknown> {
  const { random } = world;
  const { attempt } = await mission.contract.nodeOf(node);
  const { open } = await mission.contract.appealsOf(node, attempt);
  const [share, slash] = [random.pick([0, 5_000, 10_000]), random.pick([0n, tokens(20) + 1n])];
  const ruling = { attempt, filed: open, upheld: random.int(2), share, slash, culprits: random.int(2) };
  return act(mission, node, world, Action.RESOLVE_APPEAL, AbiCoder.defaultAbiCoder().encode([RESOLUTION], [ruling]));
}

export async function appeal(mission: FuzzMission, node: number, world: World): Promise<unknown> {
  const { sponsor, random, token } = world;
  const { agent } = random.int(2) === 0 ? await mission.executorOf(node) : { agent: sponsor };
  await token.mint(agent.address, tokens(50));
  await token.connect(agent).approve(mission.address, tokens(50));
  const { attempt } = await mission.contract.nodeOf(node);
  const judged = attempt === 0n ? 0 : random.pick([Number(attempt), Number(attempt) - 1]);
  return mission.contract.connect(agent).appeal(node, judged, id("evidence"), directly(agent));
}

export const HUMANS: readonly NodeMove[] = [
  { name: "freeze", suits: [ELIGIBLE, EXECUTING, PENDING_VERIFICATION], weight: 1, act: (m, node, w) => act(m, node, w, Action.FREEZE) },
  { name: "unfreeze", suits: [FROZEN], weight: 8, act: (m, node, w) => act(m, node, w, Action.UNFREEZE) },
  {
    name: "amend a mandate",
    suits: [FROZEN],
    weight: 4,
    act: (m, node, w) => act(m, node, w, Action.RESUME_WITH_AMENDMENT, encodeActionData("RESUME_WITH_AMENDMENT", [MANDATE])),
  },
  {
    name: "approve",
    suits: [PENDING_REVIEW],
    weight: 10,
    act: async (m, node, w) => act(m, node, w, Action.APPROVE_POP, await m.approval(node, w.random.pick([10_000, 7_000, 0]))),
  },
  { name: "reject", suits: [PENDING_REVIEW, FROZEN], weight: 2, act: (m, node, w) => act(m, node, w, Action.REJECT_POP) },
  {
    name: "terminate",
    suits: [ELIGIBLE, FAILED],
    weight: 1,
    act: async (m, node, w) => {
      if (w.random.int(2) > 0) return;
      await act(m, node, w, Action.TERMINATE_MISSION);
      for (const other of m.nodes.keys()) await tried(() => m.route(other));
    },
  },
  {
    name: "stop",
    suits: [ELIGIBLE],
    weight: 1,
    act: async (m, node, w) => {
      await act(m, node, w, Action.EMERGENCY_STOP);
      for (const other of m.nodes.keys()) await tried(() => m.route(other));
    },
  },
  { name: "let go on", suits: ANY, weight: 2, act: (m, node, w) => act(m, node, w, Action.CLEAR_EMERGENCY_STOP, "0x", 2) },
  { name: "appeal", suits: [COMPLETED, FAILED], weight: 3, act: appeal },
  { name: "resolve an appeal", suits: [COMPLETED, FAILED], weight: 3, act: resolve },
  {
    name: "award early",
    suits: [WAITING, ELIGIBLE],
    weight: 3,
    act: async (m, node, { offices, random, execution, addresses, sign }) => {
      const regulator = random.pick(offices.REGULATOR);
      const deadline = await m.soon();
      const { attempt } = await execution.marketOf(m.address, node);
      const nonce = await execution.nonceOf(regulator.address);
      const decision = { regulator: regulator.address, mission: m.address, nodes: 1n << BigInt(node), attempt, nonce, deadline };
      const signature = await sign("AwardDecision", addresses.EXECUTION, decision, regulator);
      return execution.awardEarly(m.address, [node], attempt, { agent: regulator.address, deadline, signature });
    },
  },
];

/** Parameters whose change does not end the walk: limits that nothing here depends on, and what a mission keeps for life. */
const HARMLESS = [
  "DEVIATION_THRESHOLD",
  "JACCARD_THRESHOLD",
  "PETITION_SHARE",
  "PROTOCOL_FEE_RATE",
  "MIN_CONFIDENCE_LOW",
  "INSURANCE_RESERVE_RATE",
];

export const GOVERNANCE: readonly CityMove[] = [
  {
    name: "set a parameter",
    weight: 3,
    act: async ({ constitution, random }) => {
      const parameter = random.pick(PARAMETERS);
      const within = random.pick(PARAMETERS.filter(({ name }) => HARMLESS.includes(name)));
      const [which, value] = random.pick([
        [parameter, parameter.max + 1n] as const,
        [parameter, parameter.min - 1n] as const,
        [within, within.min] as const,
        [within, within.default] as const,
      ]);
      return constitution.setParam(which.index, value < 0n ? 2n ** 64n : value, ZeroHash);
    },
  },
  {
    name: "ban",
    weight: 1,
    act: async ({ producers, voters, random }) => {
      if (random.int(4) > 0) return undefined;
      return producers.ban(random.pick(voters.slice(5)).address, id("ban"));
    },
  },
  {
    name: "freeze or release a principal",
    weight: 3,
    act: async ({ producers, account, random }) => {
      const principal = await account(`principal ${random.int(2)}`);
      return producers.freezePrincipal(principal.address, random.int(3) === 0);
    },
  },
  {
    name: "freeze or release an agent",
    weight: 2,
    act: ({ producers, voters, random }) => producers.freezeAgent(random.pick(voters.slice(3)).address, random.int(3) === 0),
  },
  {
    name: "adjust a reputation",
    weight: 3,
    act: ({ producers, voters, random }) =>
      producers.adjustReputation(random.pick(voters.slice(3)).address, random.pick([-2000, -450, -100, 100, 450, 2000]), id("why")),
  },
];
