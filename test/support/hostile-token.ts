/** A city whose settlement token turns bad: the code behind its address is replaced, balances and allowances stay. */
import type { ContractTransactionResponse } from "ethers";
import { type City, ethers, networkHelpers } from "./city-fixture.ts";

async function become(city: City, name: string): Promise<void> {
  const bad = await ethers.deployContract(name);
  await networkHelpers.setCode(city.addresses.TOKEN, await ethers.provider.getCode(bad));
}

/** From now on the token has the switches of `HostileToken`. */
export async function turnHostile(city: City) {
  await become(city, "HostileToken");
  const token = await ethers.getContractAt("HostileToken", city.addresses.TOKEN);
  const send = (name: string, ...args: unknown[]): Promise<ContractTransactionResponse> => token.getFunction(name)(...args);
  return {
    contract: token,
    /** Hundredths of a percent of each transfer. */
    chargeFee: (fee: number) => send("chargeFee", fee),
    rebase: (account: string, balance: bigint) => send("rebase", account, balance),
    lie: (liar: boolean) => send("lie", liar),
    block: (account: string, blocked = true) => send("setBlocked", account, blocked),
    beStrict: () => send("beStrict"),
    callBack: (callee: string, call: string) => send("callBack", callee, call),
  };
}

/** From now on the token answers nothing. */
export async function turnSilent(city: City): Promise<void> {
  await become(city, "SilentToken");
}

/** What an institution has to be able to pay, with what it holds. */
export async function solvency(city: City, agents: readonly string[]) {
  const held = (institution: "PRODUCERS" | "TREASURY") => city.token.balanceOf(city.addresses[institution]);
  let stakes = 0n;
  for (const agent of agents) stakes += (await city.producers.stakeOf(agent)).held;
  return {
    stakes: { owed: stakes, held: await held("PRODUCERS") },
    pools: {
      owed: (await city.treasury.freeBalance()) + (await city.treasury.insuranceBalance()) + (await city.treasury.credits()),
      held: await held("TREASURY"),
    },
  };
}
