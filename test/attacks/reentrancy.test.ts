/** Calls that come back before the first one is done: from the token, from a wallet asked for its signature. */
import { expect } from "chai";
import { id, type Wallet } from "ethers";
import { ethers, keyOf, loadCity, networkHelpers, tokens } from "../support/city-fixture.ts";
import { solvency, turnHostile } from "../support/hostile-token.ts";
import { HOUR, openMission, TASK } from "../support/mission-fixture.ts";
import { openPanel } from "../support/panel.ts";
import { attempt } from "./attempt.ts";

const SHARED = { ...TASK, tier: 2, redundancy: 3, threshold: 2, budget: tokens(300) };
const GOVERNANCE = 0;

describe("attacks by reentrancy", () => {
  it("a mission is closed from within a claim, before its executors are paid", async () => {
    const mission = await (await (await openMission({ nodes: [SHARED] })).activate()).awardAll();
    const { city, contract } = mission;
    await mission.run(0);
    await networkHelpers.time.increase(HOUR);
    const token = await turnHostile(city);
    await token.callBack(mission.address, contract.interface.encodeFunctionData("close"));
    const before = await city.token.balanceOf(city.sponsor.address);
    await attempt(contract.claim([0]));
    expect(await city.token.balanceOf(city.sponsor.address)).to.equal(before);
    for (const slot of [0, 1, 2]) {
      expect(await city.wealthOf((await mission.executorOf(0, slot)).agent.address)).to.equal(tokens(97));
    }
  });

  it("a deposit of a token that keeps a part is booked together with one made within it", async () => {
    const city = await loadCity();
    const giver = await city.account("giver");
    await city.fund(giver, city.addresses.TREASURY, tokens(100));
    const token = await turnHostile(city);
    const itself = await city.as(city.addresses.TOKEN);
    await city.token.mint(city.addresses.TOKEN, tokens(100));
    await city.token.connect(itself).approve(city.addresses.TREASURY, tokens(100));
    await token.chargeFee(5000);
    await token.callBack(city.addresses.TREASURY, city.treasury.interface.encodeFunctionData("deposit", [tokens(100), 0, id("again")]));
    await city.treasury.connect(giver).deposit(tokens(100), 0, id("first"));
    const { pools } = await solvency(city, []);
    expect(pools.owed <= pools.held, `${pools.owed} booked, ${pools.held} held`).to.equal(true);
  });

  it("an adjudicator's wallet carries out a disbursement while it is asked whether it signed it", async () => {
    const panel = await openPanel();
    const { city, seat, wide, signed, contract } = panel;
    const giver = await city.account("giver");
    await city.fund(giver, city.addresses.TREASURY, tokens(1000));
    await city.treasury.connect(giver).deposit(tokens(1000), 0, id("fees"));
    const owner: Wallet = await city.account("owner of a wallet");
    const wallet = await ethers.deployContract("ReenteringWallet", [owner.address]);
    const at = await wallet.getAddress();
    await city.token.mint(at, tokens(5000));
    await wallet.getFunction("approve")(city.addresses.TOKEN, city.addresses.ROSTER, tokens(5000));
    await city.roster.seat(at, keyOf("wallet's principal").address);

    const thief = keyOf("thief").address;
    const message = await wide("DISBURSE", thief, GOVERNANCE, tokens(50));
    const signatures = [await signed(message, seat(0)), { adjudicator: at, signature: (await signed(message, owner)).signature }].sort(
      (a, b) => (BigInt(a.adjudicator) < BigInt(b.adjudicator) ? -1 : 1),
    );
    await wallet.getFunction("prepare")(city.addresses.ADJUDICATION, contract.interface.encodeFunctionData("act", [message, signatures]));
    await contract.act(message, signatures, { gasLimit: 12_000_000 });
    expect(await city.token.balanceOf(thief)).to.equal(tokens(50));
  });
});
