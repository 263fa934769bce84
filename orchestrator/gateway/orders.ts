/** Orders of the override panel as the gateway handles them: drafted, simulated, kept for a second signature, put on chain. It signs nothing. */
import { type AbiParameter, encodeFunctionData, zeroAddress, zeroHash } from "viem";
import { ascending, overrideOf, stateOf, VALIDITY } from "../adjudication/act.ts";
import { intentKey } from "../chain/outbox.ts";
import { decodeRevert, revertOf } from "../chain/revert.ts";
import { type Decision, type Draft, decisionOn } from "../city/humans/case-decisions.ts";
import { caseNamed } from "../city/humans/case-queue.ts";
import { chainTime } from "../city/humans/order-caps.ts";
import { WaitingFiles, writeWaiting } from "../city/humans/waiting.ts";
import type { CityClient } from "../client/client.ts";
import { contractAbis } from "../client/contracts.ts";
import { allErrors } from "../client/errors.ts";
import { wasExecuted } from "../client/executed.ts";
import { justificationBytes } from "../client/sign/codification.ts";
import { orderDigest } from "../client/sign/order.ts";
import { missionStates, nodeStates } from "../execution/chain-view.ts";
import { formatMoney } from "../primitives/amounts.ts";
import { InvalidValue, messageOf } from "../primitives/errors.ts";
import type { Address, Hash, Hex } from "../primitives/hex.ts";
import { Mutex } from "../primitives/mutex.ts";
import { recoverAddress } from "../primitives/recovery.ts";
import { ACTION_DATA, type ActionName, actionName, decodeActionData, encodeActionData } from "../protocol/actions.ts";
import type { OverrideAction } from "../protocol/acts.ts";
import { PARAMETERS } from "../protocol/parameters.ts";
import { type SignedOverride, signedOverrideJson, signedOverrideSchema } from "../protocol/signed-override.ts";
import { askNode } from "./ask-node.ts";
import type { World } from "./command.ts";
import { type Consequences, inNames } from "./consequences.ts";
import { Refused } from "./errors.ts";

export type { OverrideAction as Order };

type Order = OverrideAction;

const STOPS: ReadonlySet<ActionName> = new Set<ActionName>(["FREEZE", "EMERGENCY_STOP", "STOP_CITY", "VETO_OUTPUT"]);

/** Whether an order only stops something: nobody who withholds evidence may keep it from being signed (decision 101). To lift a stop is none. */
export function isStop({ action, data }: Pick<Order, "action" | "data">): boolean {
  const name = actionName(action);
  if (name === "FREEZE_AGENT" || name === "FREEZE_PRINCIPAL") return decodeActionData(name, data)[0];
  return name !== undefined && STOPS.has(name);
}

/** What is asked for: a decision on a case, or an action with its subject. */
export interface Asked {
  readonly case?: string | undefined;
  readonly decision?: Decision | undefined;
  readonly action?: ActionName | undefined;
  readonly mission?: Address | undefined;
  readonly node?: number | undefined;
  readonly target?: Address | undefined;
  /** The action's data, each value as JSON: numbers as decimal text. */
  readonly values?: readonly unknown[] | undefined;
}

/** The message of an order on the state as it is now: what the command line would have an adjudicator sign. */
export async function draftOrder(world: World, asked: Asked, because: string): Promise<Order> {
  return overrideOf({ ...(await draftOf(world, asked)), because }, (await chainTime(world)) + VALIDITY);
}

async function draftOf(world: World, asked: Asked): Promise<Draft> {
  const { action, mission, node = 0, target, values = [] } = asked;
  if (asked.case !== undefined) {
    if (asked.decision === undefined) throw new InvalidValue("decision", "a case is decided by approve or reject");
    const { subject } = await caseNamed(world, asked.case);
    return decisionOn(asked.case, subject, asked.decision);
  }
  if (action === undefined) throw new InvalidValue("action", "name a case or an action");
  const bound = mission === undefined ? { caseHash: zeroHash } : await boundBy(world, action, mission, node);
  const parameters: readonly AbiParameter[] = "data" in bound ? [] : ACTION_DATA[action];
  if (values.length !== parameters.length) throw new InvalidValue("values", `${action} takes ${parameters.length}`);
  const data =
    parameters.length === 0
      ? {}
      : {
          data: encodeActionData(action, values.map((value, at) => encodable(parameters[at], value)) as never),
        };
  const aimed = target === undefined ? {} : { target };
  return { action, ...(mission === undefined ? {} : { mission, node }), ...bound, ...aimed, ...data };
}

async function boundBy({ client }: World, action: ActionName, mission: Address, node: number) {
  if (!(await client.templates.isGenuine(mission))) throw new InvalidValue("mission", `${mission} is not a mission of this city`);
  return stateOf(client, action, mission, node);
}

/** A value of JSON as viem encodes it: whole numbers may be decimal text. */
function encodable(parameter: AbiParameter | undefined, value: unknown): unknown {
  if (parameter === undefined) return value;
  const { type } = parameter;
  if (type.endsWith("[]")) {
    if (!Array.isArray(value)) throw new InvalidValue(parameter.name ?? type, "a list is wanted");
    return value.map((each) => encodable({ ...parameter, type: type.slice(0, -2) }, each));
  }
  if (type === "tuple" && "components" in parameter) {
    const fields: Readonly<Record<string, unknown>> = Object(value);
    return Object.fromEntries(parameter.components.map((each) => [each.name, encodable(each, fields[each.name ?? ""])]));
  }
  if (/^u?int/.test(type)) {
    if (!/^-?\d{1,78}$/.test(String(value))) throw new InvalidValue(parameter.name ?? type, "a whole number is wanted");
    return BigInt(String(value));
  }
  return value;
}

/** Answers that every signature is good (ERC-1271): the code that signers have in a simulation, before they signed. */
const SIGNS_ANYTHING = "0x631626ba7e60e01b60005260206000f3";
const SIMULATION_GAS = 5_000_000n;
/** An order comes in the next block: in the last one a panel's hash may not be known yet, as no sender would ever find it. */
const NEXT = "pending";
const simulations = new Mutex();

/** `act` as anybody who relays it sends it, with signers who have not signed yet. */
function callOf({ client }: World, message: Order, signers: readonly Address[]) {
  const signed = ascending(signers.map((adjudicator) => ({ adjudicator, signature: "0x" as Hex })));
  const act = { abi: contractAbis.AdjudicationProcedure, functionName: "act", args: [message, signed] } as const;
  return {
    act,
    ...{ to: client.addresses.AdjudicationProcedure, data: encodeFunctionData(act), gas: SIMULATION_GAS },
    stateOverride: signers.map((address) => ({ address, code: SIGNS_ANYTHING as Hex })),
  };
}

export interface Simulated {
  readonly succeeds: boolean;
  /** The contract's own error, where it refuses. */
  readonly refusal: string | null;
  readonly error: string | null;
  /** What would be other than it is now. */
  readonly changes: readonly { readonly what: string; readonly from: string; readonly to: string }[];
}

/**
 * Has the chain carry out `act` as anybody who relays it, with these signers, and forgets it; `compares`: and tells what would be other
 * than it is now. One at a time, at most 5M gas.
 */
export function simulate(world: World, message: Order, signers: readonly Address[], compares = true): Promise<Simulated> {
  return simulations.run(async () => {
    const { client } = world;
    const { publicClient } = client.chain;
    const { act, stateOverride, to, data, gas } = callOf(world, message, signers);
    try {
      await publicClient.call({ to, data, stateOverride, gas, blockTag: NEXT });
    } catch (thrown) {
      const revert = revertOf(thrown);
      if (revert === undefined) throw thrown;
      const { reason, errorName } = decodeRevert(revert.data, allErrors);
      return { succeeds: false, refusal: reason, error: errorName ?? null, changes: [] };
    }
    if (!compares) return { succeeds: true, refusal: null, error: null, changes: [] };
    const watched = await watchedBy(world, message);
    const views = watched.map(({ contract }) => contract);
    const ask = async (contracts: readonly unknown[]) =>
      (await publicClient.multicall({ deployless: true, batchSize: 0, contracts, stateOverride, blockTag: NEXT } as never)) as readonly {
        readonly result?: unknown;
      }[];
    const [before, after] = [await ask(views), (await ask([{ address: to, ...act }, ...views])).slice(1)];
    const changes = watched.flatMap(({ what, describe }, at) => {
      const [from, to] = [describe(before[at]?.result), describe(after[at]?.result)];
      return from === to ? [] : [{ what, from, to }];
    });
    return { succeeds: true, refusal: null, error: null, changes };
  });
}

/** The same, with storage and money where the node can report them; one simulation at a time. */
export async function consequences(world: World, message: Order, signers: readonly Address[]): Promise<Consequences> {
  const found = await simulate(world, message, signers);
  const nothing = { ...found, method: "eth_call", unreported: [], storage: null, transfers: null } as const;
  if (!found.succeeds) return nothing;
  const { report, unreported } = await simulations.run(() => askNode(world.client.chain, callOf(world, message, signers)));
  if (report === undefined) return { ...nothing, unreported };
  return { ...found, method: report.method, unreported, ...(await inNames(world, message, signers, report)) };
}

interface Watched {
  readonly what: string;
  readonly contract: { readonly address: Address; readonly abi: unknown; readonly functionName: string; readonly args: readonly unknown[] };
  readonly describe: (result: unknown) => string;
}

const field = (result: unknown, name: string): unknown => (Object(result) as Readonly<Record<string, unknown>>)[name];
const money = (value: unknown) => (typeof value === "bigint" ? formatMoney(value) : String(value));

/** What is read before and after: nodes, money, reputations, and whether the panel keeps its quorum. */
async function watchedBy({ client }: World, { mission, target, action, data }: Order): Promise<readonly Watched[]> {
  const { addresses } = client;
  const found: Watched[] = [];
  const add = (
    what: string,
    address: Address,
    abi: unknown,
    functionName: string,
    args: readonly unknown[],
    describe: Watched["describe"],
  ) => found.push({ what, contract: { address, abi, functionName, args }, describe });
  const roster = contractAbis.AdjudicatorRoster;
  add("the panel has its quorum", addresses.AdjudicatorRoster, roster, "hasQuorum", [], (value) => (value === true ? "yes" : "no"));
  add("adjudicators seated", addresses.AdjudicatorRoster, roster, "activeCount", [], String);
  add("the city stands still", addresses.AdjudicatorWatchdog, contractAbis.AdjudicatorWatchdog, "isStopped", [], (value) =>
    value === true ? "yes" : "no",
  );
  const agents = new Set<Address>();
  if (mission !== zeroAddress) {
    const abi = contractAbis.CollaborationContract;
    const contract = client.mission(mission);
    const { nodeCount } = await contract.header();
    add("the mission", mission, abi, "state", [], (value) => missionStates[Number(value)] ?? String(value));
    for (let number = 0; number < nodeCount; number += 1) {
      add(`node ${number}`, mission, abi, "nodeOf", [number], (value) => nodeStates[Number(field(value, "state"))] ?? "");
      for (const agent of await contract.countedOf(number).catch(() => [])) agents.add(agent);
    }
    for (const name of ["paid", "refunded", "fees", "insurance", "entitled"]) {
      add(`tokens ${name}`, mission, abi, "ledger", [], (value) => money(field(value, name)));
    }
  }
  if (target !== zeroAddress) agents.add(target);
  for (const agent of agents) {
    const abi = contractAbis.ProducerContract;
    add(`reputation of ${agent}`, addresses.ProducerContract, abi, "reputationOf", [agent], String);
    add(`stake of ${agent}`, addresses.ProducerContract, abi, "stakeOf", [agent], (value) => money(field(value, "held")));
  }
  if (actionName(action) === "AMEND_PARAMETER") {
    const index = Number(BigInt(data.slice(0, 66)));
    const parameter = PARAMETERS[index];
    if (parameter !== undefined)
      add(
        parameter.name,
        addresses.ConstitutionContract,
        contractAbis.ConstitutionContract,
        "param",
        [index],
        (value) => `${value} ${parameter.unit}`,
      );
  }
  return found;
}

/** Errors that are about who signs; any other is about the order, whoever signs it. */
const ABOUT_SIGNERS: readonly (string | null)[] = ["NotAdjudicator", "Conflicted", "RotationRequired", "InvalidSignature"];

/**
 * Whether each seat may sign this, and why the order would be refused whoever signs, both in the contract's own words: it is asked with
 * each seat's signature alone.
 */
export async function whoMaySign(world: World, message: Order) {
  const { roster } = world.client;
  let refusal: string | null = null;
  let isShort = false;
  const seats = [];
  for (const adjudicator of await roster.seats()) {
    const asked = await simulate(world, message, [adjudicator], false);
    const may = !ABOUT_SIGNERS.includes(asked.error);
    if (asked.error === "NotEnoughSignatures") isShort = true;
    else if (may && !asked.succeeds) refusal = asked.refusal;
    const because = may ? null : asked.refusal;
    seats.push({ adjudicator, principal: await roster.principalOf(adjudicator), may, because, error: may ? null : asked.error });
  }
  // It looks at the signers first, then at the mission's state: together they may be enough to get there.
  if (isShort && refusal === null) {
    const able = seats.filter(({ may }) => may).map(({ adjudicator }) => adjudicator);
    const asked = await simulate(world, message, able, false);
    if (asked.error !== "NotEnoughSignatures") refusal = asked.refusal;
  }
  return { seats, refusal };
}

const waitingOrders = (dir: string) => new WaitingFiles<SignedOverride>(dir, ".order.json", signedOverrideSchema);

/** Orders that wait for another signature, here or from the command line. */
export function ordersWaiting({ dir, client }: World): readonly { readonly digest: Hash; readonly order: SignedOverride }[] {
  const files = waitingOrders(dir);
  return files.list().flatMap((path) => {
    const name =
      path
        .split("/")
        .at(-1)
        ?.replace(/\.order\.json$/, "") ?? "";
    const order = files.read(name);
    if (order === undefined || order.chainId !== client.chain.id || order.adjudication !== client.addresses.AdjudicationProcedure)
      return [];
    return [{ digest: orderDigest(client, order.message), order }];
  });
}

export type Relayed =
  | {
      readonly status: "executed";
      readonly digest: Hash;
      readonly transaction: Hash | null;
      readonly signatures: number;
      readonly needed: number;
    }
  | { readonly status: "waiting"; readonly digest: Hash; readonly transaction: null; readonly signatures: number; readonly needed: number };

/** Throws InvalidValue for what no wallet could have shown. */
function digestOf(client: CityClient, message: Order): Hash {
  try {
    return orderDigest(client, message);
  } catch (error) {
    throw new InvalidValue("message", "is no act of this version", { details: messageOf(error) });
  }
}

/** Takes signatures of seated adjudicators over an order; sends it once they are enough, keeps it until then. */
export async function relayOrder(world: World, given: Pick<SignedOverride, "message" | "signatures">): Promise<Relayed> {
  const { client, blocks, dir } = world;
  const { message } = given;
  const digest = digestOf(client, message);
  for (const { adjudicator, signature } of given.signatures) await requireSigned(world, digest, adjudicator, signature);
  const files = waitingOrders(dir);
  const name = digest.slice(2, 14);
  const kept = files.read(name)?.signatures ?? [];
  const signatures = [...new Map([...kept, ...given.signatures].map((each) => [each.adjudicator, each])).values()];
  const needed = Number(await client.adjudication.signaturesFor(message));
  blocks.put(justificationBytes(message.because));
  await blocks.sync();
  if (await wasExecuted(client, message)) {
    files.remove(name);
    return { status: "executed", digest, transaction: null, signatures: signatures.length, needed };
  }
  if (signatures.length < needed) {
    const order = { chainId: client.chain.id, adjudication: client.addresses.AdjudicationProcedure, message, signatures };
    writeWaiting(files.pathOf(name), signedOverrideJson(order));
    return { status: "waiting", digest, transaction: null, signatures: signatures.length, needed };
  }
  const receipt = await client.adjudication.act([message, ascending(signatures)], {
    intent: intentKey("override", digest),
    alreadyDone: () => wasExecuted(client, message),
  });
  files.remove(name);
  return { status: "executed", digest, transaction: receipt?.transactionHash ?? null, signatures: signatures.length, needed };
}

async function requireSigned({ client }: World, digest: Hash, adjudicator: Address, signature: Hex): Promise<void> {
  if (!(await client.roster.isActive(adjudicator))) throw new Refused("NotAllowed", `${adjudicator} has no seat on the panel`);
  const recovered = await recoverAddress({ hash: digest, signature }).catch(() => undefined);
  if (recovered === adjudicator) return;
  // A contract wallet answers for itself.
  const isGood = await client.chain.publicClient.verifyHash({ address: adjudicator, hash: digest, signature }).catch(() => false);
  if (!isGood)
    throw new Refused("BadSignature", `The signature is not ${adjudicator}'s over this order`, { action: "sign what draft_order gave" });
}
