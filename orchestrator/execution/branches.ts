import { zeroAddress } from "viem";
import { z } from "zod";
import { intentKey } from "../chain/outbox.ts";
import { type Obligation, obligationSchema, signObligation } from "../clearing/obligation.ts";
import { addressSchema } from "../primitives/address.ts";
import { bitmapOf } from "../primitives/bitmap.ts";
import { AgentCityError } from "../primitives/errors.ts";
import type { Address } from "../primitives/hex.ts";
import { canonicalBytes, type JsonObject, type JsonValue } from "../primitives/json.ts";
import type { NodeView } from "./chain-view.ts";
import { engineOf, sealerOf } from "./clearing-record.ts";
import { type AttemptPlace, branchEnd, branchSchema, concludeBranch, type DelegationRecords, termsOfBranch } from "./delegation.ts";
import { branchTermsAt, lastTimeOf } from "./obligations.ts";
import { overrideSchema } from "./settlement-record.ts";
import { attemptKey, type NodeResult, outputHashOf, readOutput, resultOf, resultSchema } from "./work.ts";
import type { Mission, World } from "./world.ts";

/** A node's loan to its child's session (AgentCity 3.4, recursion; contracts/collaboration/Descent.sol). */
export interface Loan {
  readonly session: bigint;
  /** Smallest unit: what earlier children left of the node's budget. */
  readonly amount: bigint;
}

/** A branch has no executors whose code a runner could attest. */
const NOBODY_STARTS = { runner: zeroAddress, slots: [], deadline: 0, signature: "0x" } as const;

/** Opens a branch's child session, once per attempt; anyone may. */
export async function openChild(world: World, mission: Mission, view: NodeView): Promise<Loan> {
  const contract = world.client.mission(mission.address);
  const node = view.law.number;
  const openedNow = async () =>
    (await contract.history("ChildOpened", { node })).map(({ args }) => args).findLast(({ attempt }) => attempt === view.attempt);
  const alreadyDone = async () => (await openedNow()) !== undefined;
  await contract.route([bitmapOf([node]), NOBODY_STARTS], { intent: intentKey("descend", ...attemptKey(mission, view)), alreadyDone });
  const current = await openedNow();
  if (current === undefined) throw new AgentCityError("ChildUnknown", `${view.law.label} was routed, but the chain names no child session`);
  await boundBranch(world, mission.address, { node, attempt: view.attempt });
  await world.boundary("execution:descended");
  return { session: current.session, amount: current.amount };
}

/**
 * Informs the parent that a child has closed its accounts, or that its session made no law: the rest is returned, and the node is decided.
 */
export async function concludeChild(world: World, mission: Mission, view: NodeView): Promise<void> {
  const contract = world.client.mission(mission.address);
  const node = view.law.number;
  const alreadyDone = async () =>
    (await contract.history("ChildConcluded", { node })).some(({ args: { attempt } }) => attempt === view.attempt);
  await contract.record([node], { intent: intentKey("conclude", ...attemptKey(mission, view)), alreadyDone });
  await world.boundary("execution:concluded");
}

/** The obligation that a session undertook for an attempt at a branch; it is written down the first time, before anybody works below. */
function boundBranch({ client, remember }: World, mission: Address, { node, attempt }: AttemptPlace): Promise<Obligation> {
  return remember(["obligation", mission, node, attempt], obligationSchema, async () =>
    signObligation(termsOfBranch(await branchTermsAt(client, { mission, node, attempt })), {}),
  );
}

/** Writes down how each branch of a mission ended, and whose fault it is where one failed (RAILS 9.2). */
export async function concludeBranches(world: World, { address: mission }: Pick<Mission, "address">): Promise<void> {
  const { client, runner } = world;
  const contract = client.mission(mission);
  const [concluded, faults] = [await contract.history("ChildConcluded"), await contract.history("FaultSignalled")];
  for (const { args, blockNumber } of concluded) {
    const place = { node: args.node, attempt: args.attempt };
    await world.remember(["branch", mission, place.node, place.attempt], branchSchema, async () => {
      const engine = sealerOf(engineOf(runner.account.address), runner.seal());
      const isFault = faults.some((fault) => fault.args.node === place.node && fault.args.attempt === place.attempt);
      const end = branchEnd(args, { isFault, at: await lastTimeOf(client, [blockNumber]) });
      return {
        engine: engine.key,
        delegation: await concludeBranch(recordsIn(world), await boundBranch(world, mission, place), end, engine),
      };
    });
  }
}

/** The records that a city keeps of its missions. */
function recordsIn({ client, recall }: World): DelegationRecords {
  return {
    attempts: async (mission) => {
      const contract = client.mission(addressSchema.parse(mission));
      const begun = [...(await contract.history("ExecutorBound")), ...(await contract.history("ChildOpened"))];
      return begun.map(({ args }) => ({ node: args.node, attempt: args.attempt })).toSorted((one, other) => one.attempt - other.attempt);
    },
    recall: (kind, subjects, schema) => recall([kind, ...subjects], schema),
    overrides: async (mission, { node, attempt }) => {
      const acts = await client.adjudication.history("OverrideExecuted", { mission: addressSchema.parse(mission) });
      const kept = await Promise.all(acts.map(({ args }) => recall(["override", mission, node, attempt, args.digest], overrideSchema)));
      return kept.flatMap((found) => found?.override ?? []);
    },
  };
}

/** What is left of a branch's budget when none of its children has any of it. */
export async function leftFor(world: World, mission: Mission, view: Pick<NodeView, "law">): Promise<bigint> {
  const { opened, concluded } = await loansOf(world, mission, view);
  const lent = opened.reduce((sum, { args }) => sum + args.amount, 0n);
  return BigInt(view.law.budget) - lent + concluded.reduce((sum, { args }) => sum + args.returned, 0n);
}

/** Whether a child still holds money of the branch. */
export async function isLent(world: World, mission: Mission, view: Pick<NodeView, "law">): Promise<boolean> {
  const { opened, concluded } = await loansOf(world, mission, view);
  return opened.length > concluded.length;
}

async function loansOf(world: World, mission: Mission, { law }: Pick<NodeView, "law">) {
  const contract = world.client.mission(mission.address);
  const node = law.number;
  return { opened: await contract.history("ChildOpened", { node }), concluded: await contract.history("ChildConcluded", { node }) };
}

/** Stores a completed child's output as the result of its parent node: the items of its output task, and every dissent about them. */
export async function keepResult(world: World, mission: Mission, { law }: Pick<NodeView, "law">, child: Mission): Promise<void> {
  await world.remember(["result", mission.address, law.number], resultSchema, async (): Promise<NodeResult> => {
    const results = await Promise.all(outputNodes(child).map(({ number }) => resultOf(world, child, number)));
    const output = joinedOutput(await Promise.all(results.map(({ outputId }) => readOutput(world, outputId))));
    const outputId = await world.store.put(canonicalBytes(output));
    return { outputId, outputHash: outputHashOf(output), dissent: results.flatMap(({ dissent }) => dissent) };
  });
}

/** Nodes of a mission's output task, in order. */
export function outputNodes({ document }: Pick<Mission, "document">): Mission["document"]["nodes"] {
  return document.nodes.filter(({ task }) => task === document.output.task);
}

/** Combines the outputs of several nodes. */
export function joinedOutput(outputs: readonly JsonObject[]): JsonObject {
  return { items: outputs.flatMap((output): JsonValue[] => z.array(z.json()).parse(output["items"] ?? [])) };
}
