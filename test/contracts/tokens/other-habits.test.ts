/** Tokens that answer nothing, lie, rebase, or call back while they move: refused or harmless. */
import { expect } from "chai";
import { id, ZeroAddress } from "ethers";
import { directly, ethers, keyOf, loadCity, networkHelpers, tokens } from "../../support/city-fixture.ts";
import { solvency, turnHostile, turnSilent } from "../../support/hostile-token.ts";
import { HOUR, type Mission, openMission } from "../../support/mission-fixture.ts";
import { outcomeOf } from "../../support/outcomes.ts";

const WHY = id("why");
const UNBONDING = 400 * 86_400;

const running = async (): Promise<Mission> => (await (await openMission({ reserve: tokens(5) })).activate()).awardAll();

describe("a token that answers nothing", () => {
  it("settles a city like any other: stake, deposit, appeal, claim, refund", async () => {
    const mission = await running();
    const { city } = mission;
    await turnSilent(city);
    const { principal } = await city.register("late");
    expect(await city.token.balanceOf(principal.address)).to.equal(0);
    await mission.run(0);
    await city.fund(city.sponsor, mission.address, tokens(10));
    await mission.contract.connect(city.sponsor).appeal(0, 0, WHY, directly(city.sponsor));
    await networkHelpers.time.increase(4 * Number(HOUR));
    const before = await city.token.balanceOf(city.sponsor.address);
    await mission.contract.claim([0]);
    await mission.contract.close();
    const { agent } = await mission.executorOf(0);
    await city.treasury.connect(agent).withdraw(agent.address, agent.address);
    await city.treasury.connect(city.sponsor).withdraw(city.sponsor.address, city.sponsor.address);
    expect(await city.token.balanceOf(agent.address)).to.equal(tokens(97));
    expect((await city.token.balanceOf(city.sponsor.address)) - before).to.equal(tokens(15));
    expect(await city.token.balanceOf(mission.address)).to.equal(0);
    expect(await city.treasury.insuranceBalance()).to.equal(tokens(1));
  });

  it("pays slashes though it refuses to change an allowance", async () => {
    const city = await loadCity();
    const { agent } = await city.register("agent");
    await turnSilent(city);
    const execution = city.producers.connect(await city.as("EXECUTION"));
    for (let i = 0; i < 2; i++) await execution.settle(outcomeOf(agent.address), tokens(50), ZeroAddress);
    expect([await city.treasury.freeBalance(), await city.treasury.insuranceBalance()]).to.deep.equal([tokens(50), tokens(50)]);
  });
});

describe("a token that answers false", () => {
  it("is refused where somebody pays in, and keeps no executor from a later payment", async () => {
    const mission = await running();
    const { city } = mission;
    await mission.run(0);
    const { agent } = await mission.executorOf(0);
    await city.fund(city.sponsor, city.addresses.LEGISLATION, tokens(400));
    const token = await turnHostile(city);
    await token.lie(true);
    await expect(city.legislation.connect(city.sponsor).openSession(WHY, tokens(400), ZeroAddress))
      .to.be.revertedWithCustomError(city.treasury, "SafeERC20FailedOperation")
      .withArgs(city.addresses.TOKEN);
    await networkHelpers.time.increase(HOUR);
    const unmoved = (call: Promise<unknown>) =>
      expect(call).to.be.revertedWithCustomError(city.treasury, "SafeERC20FailedOperation").withArgs(city.addresses.TOKEN);
    await unmoved(mission.contract.claim([0]));
    expect((await mission.contract.entitlementOf(0, 0)).claimed).to.equal(false);
    await token.lie(false);
    await mission.contract.claim([0]);
    await token.lie(true);
    await unmoved(city.treasury.connect(agent).withdraw(agent.address, agent.address));
    await token.lie(false);
    await city.treasury.connect(agent).withdraw(agent.address, agent.address);
    expect(await city.token.balanceOf(agent.address)).to.equal(tokens(97));
    expect(await mission.imbalance()).to.equal("");
  });
});

describe("a token that rebases", () => {
  it("downwards hurts only whose balance shrank; what is owed waits until somebody makes up for it", async () => {
    const mission = await running();
    const { city } = mission;
    await mission.run(0);
    const { agent } = await mission.executorOf(0);
    const token = await turnHostile(city);
    const agents = [...city.workers.map((worker) => worker.agent.address), ...city.verifiers.keys()];
    const before = await solvency(city, agents);
    await token.rebase(mission.address, tokens(50));
    await networkHelpers.time.increase(HOUR);
    await expect(mission.contract.claim([0])).to.be.revertedWithCustomError(token.contract, "ERC20InsufficientBalance");
    // Nobody else's money made up for the rest.
    expect(await solvency(city, agents)).to.deep.equal(before);
    expect((await mission.contract.ledger()).entitled).to.equal(tokens(97));
    await token.rebase(mission.address, tokens(105));
    await mission.contract.claim([0]);
    await mission.contract.close();
    expect(await city.wealthOf(agent.address)).to.equal(tokens(97));
    expect(await city.token.balanceOf(mission.address)).to.equal(0);
  });

  it("upwards changes nobody's claim; what a mission gained is swept to its sponsor", async () => {
    const mission = await running();
    const { city } = mission;
    await mission.run(0);
    const token = await turnHostile(city);
    await token.rebase(mission.address, tokens(135));
    await networkHelpers.time.increase(HOUR);
    await mission.contract.claim([0]);
    expect(await city.wealthOf((await mission.executorOf(0)).agent.address)).to.equal(tokens(97));
    const before = await city.token.balanceOf(city.sponsor.address);
    await mission.contract.close();
    expect((await city.token.balanceOf(city.sponsor.address)) - before).to.equal(tokens(35));
    expect((await mission.contract.ledger()).refunded).to.equal(tokens(5));
  });
});

describe("a token that calls back", () => {
  const GUARD = id("ReentrancyGuardReentrantCall()").slice(0, 10);
  type Token = Awaited<ReturnType<typeof turnHostile>>;
  /** `pay` succeeds, and each call made meanwhile is refused by the lock. */
  async function locked(token: Token, callee: string, call: string, pay: () => Promise<{ wait(): Promise<unknown> }>): Promise<void> {
    await token.callBack(callee, call);
    const from = await ethers.provider.getBlockNumber();
    await (await pay()).wait();
    const events = await token.contract.queryFilter(token.contract.getEvent("CalledBack"), from + 1);
    const answers = events.map(({ data }) => ethers.AbiCoder.defaultAbiCoder().decode(["bool", "bytes"], data));
    expect(answers.length).to.be.greaterThan(0);
    for (const [ok, answer] of answers) expect([ok, String(answer).slice(0, 10)]).to.deep.equal([false, GUARD]);
    await token.callBack(ZeroAddress, "0x");
  }

  it("gets nothing out of a mission a second time", async () => {
    const mission = await running();
    const { city, contract } = mission;
    await mission.run(0);
    const token = await turnHostile(city);
    await city.fund(city.sponsor, mission.address, tokens(10));
    const calls = {
      claim: contract.interface.encodeFunctionData("claim", [[0]]),
      refund: contract.interface.encodeFunctionData("refund"),
      close: contract.interface.encodeFunctionData("close"),
    };
    await locked(token, mission.address, calls.refund, () => contract.connect(city.sponsor).appeal(0, 0, WHY, directly(city.sponsor)));
    await networkHelpers.time.increase(4 * Number(HOUR));
    await locked(token, mission.address, calls.claim, () => contract.claim([0]));
    await locked(token, mission.address, calls.close, () => contract.refund());
    const { agent } = await mission.executorOf(0);
    const again = city.treasury.interface.encodeFunctionData("withdraw", [agent.address, agent.address]);
    await locked(token, city.addresses.TREASURY, again, () => city.treasury.connect(agent).withdraw(agent.address, agent.address));
    expect(await city.token.balanceOf(agent.address)).to.equal(tokens(97));
    expect(await mission.imbalance()).to.equal("");
    expect(await city.token.balanceOf(mission.address)).to.equal(0);
  });

  it("gets no stake, deposit or pool twice", async () => {
    const city = await loadCity();
    const { agent, principal } = await city.register("agent");
    await city.register("other");
    const [sponsor, judge] = [await city.account("sponsor"), await city.account("judge")];
    const token = await turnHostile(city);
    await city.fund(sponsor, city.addresses.LEGISLATION, tokens(800));
    await city.fund(sponsor, city.addresses.TREASURY, tokens(10));
    await city.fund(judge, city.addresses.ROSTER, tokens(5000));
    const { producers, legislation, treasury, roster, addresses } = city;
    const withdraw = legislation.interface.encodeFunctionData("withdraw", [1]);
    await locked(token, addresses.LEGISLATION, withdraw, () => legislation.connect(sponsor).openSession(WHY, tokens(400), ZeroAddress));
    await legislation.connect(sponsor).openSession(WHY, tokens(400), ZeroAddress);
    await legislation.connect(sponsor).cancel(1);
    await locked(token, addresses.LEGISLATION, withdraw, () => legislation.withdraw(1));
    const deposit = treasury.interface.encodeFunctionData("deposit", [1, 1, WHY]);
    await locked(token, addresses.TREASURY, deposit, () => treasury.connect(sponsor).deposit(tokens(5), tokens(5), WHY));
    await locked(token, addresses.ROSTER, roster.interface.encodeFunctionData("withdrawStake"), () =>
      roster.seat(judge.address, keyOf("judge's principal").address),
    );
    await producers.connect(agent).deregister(agent.address);
    await networkHelpers.time.increase(UNBONDING);
    const leave = producers.interface.encodeFunctionData("withdrawStake", [agent.address]);
    await locked(token, addresses.PRODUCERS, leave, () => producers.withdrawStake(agent.address));
    expect(await city.token.balanceOf(principal.address)).to.equal(tokens(5000));
    expect(await city.token.balanceOf(addresses.PRODUCERS)).to.equal(tokens(5000));
    expect(await city.token.balanceOf(addresses.ROSTER)).to.equal(tokens(5000));
    const { deposit: open } = await legislation.sessionOf(2);
    expect(await city.token.balanceOf(addresses.LEGISLATION)).to.equal(open);
    const { pools } = await solvency(city, []);
    expect(pools.held).to.equal(pools.owed);
  });
});
