/** The override panel at work: seven seats, a mission to judge, and actions signed as adjudicators sign them. */
import { type Wallet, ZeroAddress, ZeroHash } from "ethers";
import { concatHex, type Hex, keccak256, zeroHash } from "viem";
import { ACTS, type ActionName, actionNumber, type Cases, caseHashFor, encodeActionData } from "../../orchestrator/protocol/actions.ts";
import { dataFields } from "../../orchestrator/protocol/acts.ts";
import { type City, keyOf, loadCity, probeAt } from "./city-fixture.ts";

/** The data of an action. */
export function dataOf(name: ActionName, ...args: readonly unknown[]): Hex {
  return encodeActionData(name, args as never);
}

/** Data of an action that says nothing: each word zero, and nothing carried. */
export function blankData(name: ActionName): Hex {
  return concatHex([...dataFields(name).map(() => zeroHash), ...(ACTS[name].carries === undefined ? [] : [keccak256("0x")])]);
}

/** A city with `count` adjudicators and a mission that reports what reaches it. */
export async function openPanel(count = 7) {
  const city = await loadCity();
  return panelOver(city, await city.seatAdjudicators(count), await city.probe(1));
}

/** Those seats of a city, and a mission that they judge unless told otherwise. */
export function panelOver(city: City, seats: readonly Wallet[], mission: Awaited<ReturnType<typeof probeAt>>) {
  const contract = city.adjudication;
  let salt = 0n;

  const seat = (index: number): Wallet => {
    const found = seats[index];
    if (found === undefined) throw new Error(`no seat ${index}`);
    return found;
  };
  /** All seats but these. */
  const others = (...out: readonly { readonly address: string }[]): Wallet[] =>
    seats.filter(({ address }) => out.every((one) => one.address !== address));

  /** What an action is beside its mission. */
  const order = async (name: ActionName | "NONE") => ({
    action: name === "NONE" ? 0 : actionNumber(name),
    target: name === "NONE" || ACTS[name].target === undefined ? ZeroAddress : keyOf("target").address,
    data: name === "NONE" ? "0x" : blankData(name),
    because: "why",
    salt: name !== "NONE" && ACTS[name].binds === "salt" ? salt++ : 0n,
    deadline: (await city.now()) + 600n,
  });
  /** An action on a mission as it stands now, by default the probe. */
  async function override(name: ActionName | "NONE", over: Record<string, unknown> = {}) {
    const on = over["mission"] === undefined ? mission : await probeAt(String(over["mission"]));
    const node = name !== "NONE" && ACTS[name].on === "mission" ? 0 : Number(over["node"] ?? 3);
    return {
      ...(await order(name)),
      mission: on.address,
      node,
      caseHash: await caseOf(name, on, node),
      ...over,
    };
  }
  async function caseOf(name: ActionName | "NONE", on: Cases<string>, node: number): Promise<string> {
    if (name === "NONE") return on.caseHash(node);
    return ACTS[name].binds === "salt" ? ZeroHash : caseHashFor(on, name, node);
  }
  type Override = Awaited<ReturnType<typeof override>>;

  /** A city-wide action. */
  const wide = async (name: ActionName, target: string, ...args: readonly unknown[]): Promise<Override> => ({
    ...(await order(name)),
    mission: ZeroAddress,
    node: 0,
    caseHash: ZeroHash,
    target: ACTS[name].target === undefined ? ZeroAddress : target,
    data: dataOf(name, ...args),
  });

  const signed = async (message: Override, by: Wallet) => ({
    adjudicator: by.address,
    signature: await city.signOrder(message, by),
  });
  async function act(message: Override, ...by: readonly Wallet[]) {
    const signatures = [];
    for (const signer of by) signatures.push(await signed(message, signer));
    return contract.act(message, signatures);
  }

  return { city, contract, seats, seat, others, mission, override, wide, signed, act };
}

export type Panel = ReturnType<typeof panelOver>;
