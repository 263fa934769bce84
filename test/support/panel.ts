/** The override panel at work: seven seats, a mission to judge, and actions signed as adjudicators sign them. */
import { id, type Wallet, ZeroAddress } from "ethers";
import { encodeAbiParameters, type Hex } from "viem";
import { ACTION_DATA, type ActionName, actionNumber } from "../../orchestrator/protocol/actions.ts";
import { type City, keyOf, loadCity, probeAt } from "./city-fixture.ts";

/** The data of an action. */
export function dataOf(name: ActionName, ...args: readonly unknown[]): Hex {
  return encodeAbiParameters(ACTION_DATA[name], args as never);
}

/** A city with `count` adjudicators and a mission that reports what reaches it. */
export async function openPanel(count = 7) {
  const city: City = await loadCity();
  const contract = city.adjudication;
  const seats = await city.seatAdjudicators(count);
  const mission = await city.probe(1);
  let salt = 0n;

  const seat = (index: number): Wallet => {
    const found = seats[index];
    if (found === undefined) throw new Error(`no seat ${index}`);
    return found;
  };
  /** All seats but these. */
  const others = (...out: readonly { readonly address: string }[]): Wallet[] =>
    seats.filter(({ address }) => out.every((one) => one.address !== address));

  /** An action on a mission as it stands now, by default the probe. */
  async function override(name: ActionName | "NONE", over: Record<string, unknown> = {}) {
    const on = over["mission"] === undefined ? mission : await probeAt(String(over["mission"]));
    return {
      action: name === "NONE" ? 0 : actionNumber(name),
      mission: on.address,
      node: 3,
      target: keyOf("target").address,
      data: "0x1234",
      justification: id("why"),
      caseHash: await on.caseHash(3),
      salt: salt++,
      deadline: (await city.now()) + 600n,
      ...over,
    };
  }
  type Override = Awaited<ReturnType<typeof override>>;

  /** A city-wide action. */
  const wide = async (name: ActionName, target: string, ...args: readonly unknown[]): Promise<Override> => ({
    ...(await override(name)),
    mission: ZeroAddress,
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

export type Panel = Awaited<ReturnType<typeof openPanel>>;
