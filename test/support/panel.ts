/** The override panel at work: seven seats, a mission to judge, and actions signed as adjudicators sign them. */
import { id, type Wallet, ZeroAddress, ZeroHash } from "ethers";
import { encodeAbiParameters, type Hex } from "viem";
import { ACTION_DATA, type ActionName, actionNumber } from "../../orchestrator/protocol/actions.ts";
import { type City, keyOf, loadCity, probeAt } from "./city-fixture.ts";

/** The data of an action. */
export function dataOf(name: ActionName, ...args: readonly unknown[]): Hex {
  return encodeAbiParameters(ACTION_DATA[name], args as never);
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
    target: keyOf("target").address,
    data: "0x1234",
    justification: id("why"),
    salt: salt++,
    deadline: (await city.now()) + 600n,
  });
  /** An action on a mission as it stands now, by default the probe. */
  async function override(name: ActionName | "NONE", over: Record<string, unknown> = {}) {
    const on = over["mission"] === undefined ? mission : await probeAt(String(over["mission"]));
    const node = Number(over["node"] ?? 3);
    return {
      ...(await order(name)),
      mission: on.address,
      node,
      caseHash: await on.caseHash(node),
      ...over,
    };
  }
  type Override = Awaited<ReturnType<typeof override>>;

  /** A city-wide action. */
  const wide = async (name: ActionName, target: string, ...args: readonly unknown[]): Promise<Override> => ({
    ...(await order(name)),
    mission: ZeroAddress,
    node: 0,
    caseHash: ZeroHash,
    target,
    data: dataOf(name, ...args),
  });

  const signed = async (message: Override, by: Wallet) => ({
    adjudicator: by.address,
    signature: await city.sign("OverrideAction", city.addresses.ADJUDICATION, message, by),
  });
  async function act(message: Override, ...by: readonly Wallet[]) {
    const signatures = [];
    for (const signer of by) signatures.push(await signed(message, signer));
    return contract.act(message, signatures);
  }

  return { city, contract, seats, seat, others, mission, override, wide, signed, act };
}

export type Panel = ReturnType<typeof panelOver>;
