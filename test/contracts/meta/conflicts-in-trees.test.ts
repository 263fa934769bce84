import { expect } from "chai";
import { id, type Wallet, ZeroAddress } from "ethers";
import { addressSchema } from "../../../orchestrator/primitives/address.ts";
import { institutionNames } from "../../../orchestrator/protocol/actions.ts";
import { type City, ethers, networkHelpers, probeAt, tokens } from "../../support/city-fixture.ts";
import { librariesOf, type Mission, onward } from "../../support/mission-fixture.ts";
import { MissionTree, type Plan } from "../../support/mission-tree.ts";
import { panelOver } from "../../support/panel.ts";

const LEAF: Plan = { budget: tokens(10) };
const LOWEST: Plan = { budget: tokens(10), nodes: [LEAF] };
const MIDDLE: Plan = { budget: tokens(20), nodes: [LOWEST, LEAF] };
const TOP: Plan = { budget: tokens(30), nodes: [LEAF, MIDDLE] };

describe("conflicts of interest in a tree of missions", function () {
  this.timeout(60_000);
  let tree: MissionTree;
  let roster: City["roster"];

  beforeEach(async () => {
    tree = await MissionTree.found();
    roster = tree.house.roster;
  });

  /** A seat whose principal is somebody of the city. */
  async function seatFor(principal: string): Promise<Wallet> {
    const judge = await tree.house.account(`judge of ${principal}`);
    await tree.house.fund(judge, tree.house.addresses.ROSTER, tokens(5000));
    await roster.seat(judge.address, principal);
    return judge;
  }
  const ofWorker = async (index: number) => seatFor((await tree.house.account(`principal ${index}`)).address);
  /** Whether a judge has a conflict in each of these missions. */
  const conflicts = ({ address }: Wallet, missions: readonly Mission[]) =>
    Promise.all(missions.map((mission) => roster.isConflicted(address, mission.address)));
  /** The mission of a plan that a node becomes. */
  async function below(above: Mission, node: number, plan: Plan, depth: number): Promise<Mission> {
    await above.contract.route(...onward(node));
    return tree.enact(await tree.house.legislation.sessionCount(), plan, depth);
  }
  /** Leaves, each awarded to this worker. */
  async function award(...leaves: readonly (readonly [mission: Mission, leaf: number, worker: number])[]): Promise<void> {
    for (const [mission, leaf, worker] of leaves) await mission.bid(leaf, worker);
    await networkHelpers.time.increase(60);
    for (const [mission, leaf] of leaves) await mission.city.execution.award(mission.address, [leaf]);
  }

  it("who works anywhere in it judges none of its missions, however late it joins; who does not, does", async () => {
    const { legislation, producers, execution, adjudication, verifiers } = tree.house;
    const judges = [await ofWorker(0), await ofWorker(1), await ofWorker(2)] as const;
    const bystander = await ofWorker(3);
    const top = await tree.enact(await tree.house.steps.open(TOP.budget), TOP);
    await award([top, 0, 0]);
    await top.run(0);
    const middle = await below(top, 1, MIDDLE, 1);
    const session = await legislation.sessionCount();
    const lowest = await below(middle, 0, LOWEST, 2);
    const all = [top, middle, lowest];
    expect(await Promise.all(all.map(({ address }) => execution.rootOf(address)))).to.deep.equal(all.map(() => top.address));
    expect(await conflicts(judges[0], all)).to.deep.equal([true, true, true]);
    for (const judge of [judges[1], judges[2]]) expect(await conflicts(judge, all)).to.deep.equal([false, false, false]);

    const { act, override, wide, signed } = panelOver(tree.house, [], await probeAt(middle.address));
    const stop = await override("EMERGENCY_STOP", { node: 0 });
    const early = await signed(stop, judges[1]);
    await award([middle, 1, 1], [lowest, 0, 2]);
    for (const judge of judges) expect(await conflicts(judge, all)).to.deep.equal([true, true, true]);
    expect(await conflicts(bystander, all)).to.deep.equal([false, false, false]);

    await expect(adjudication.act(stop, [early])).to.be.revertedWithCustomError(adjudication, "Conflicted");
    for (const judge of judges) {
      const refused = expect(act(await override("EMERGENCY_STOP", { node: 0 }), judge)).to.be.revertedWithCustomError(
        adjudication,
        "Conflicted",
      );
      await refused.withArgs(judge.address, middle.address);
      const approval = await wide("APPROVE_CODIFICATION", ZeroAddress, session);
      await expect(act(approval, judge)).to.be.revertedWithCustomError(adjudication, "Conflicted").withArgs(judge.address, ZeroAddress);
    }
    await expect(act(await override("EMERGENCY_STOP", { node: 0 }), bystander)).to.emit(adjudication, "OverrideExecuted");

    // Whoever judged the work below judges nothing above.
    const principals = new Set<string>();
    for (const address of verifiers.keys()) principals.add(await producers.principalOf(address));
    const before = await Promise.all([...principals].map(async (one) => [one, await seatFor(one)] as const));
    await lowest.run(0);
    const [drawn = ""] = await lowest.contract.panelOf(0);
    for (const [principal, judge] of before) {
      if (principal === (await producers.principalOf(drawn))) expect(await conflicts(judge, all)).to.deep.equal([true, true, true]);
    }
  });

  it("a market replaced between a mission and the one below it changes nothing", async () => {
    const { constitution, legislation, execution } = tree.house;
    const judges = [await ofWorker(0), await ofWorker(1)] as const;
    const successor = await ethers.deployContract("ExecutionProcedure", [constitution], {
      libraries: await librariesOf("ExecutionProcedure"),
    });
    const institution = institutionNames.indexOf("EXECUTION");
    await constitution.amend(institution, successor, id("why"));
    await networkHelpers.time.increaseTo((await constitution.amendmentOf(institution)).effectiveFrom);
    const plan: Plan = { budget: tokens(20), nodes: [LEAF, LOWEST] };
    const top = await tree.enact(await tree.house.steps.open(plan.budget), plan);
    await award([top, 0, 0]);
    await top.run(0);
    await constitution.enact(institution);
    await top.contract.route(...onward(1));
    const addresses = { ...tree.house.addresses, EXECUTION: addressSchema.parse(successor.target) };
    const later = new MissionTree({ ...tree.house, execution: successor, addresses });
    const lowest = await later.enact(await legislation.sessionCount(), LOWEST, 1);
    await award([lowest, 0, 1]);
    expect([await execution.rootOf(top.address), await successor.rootOf(lowest.address)]).to.deep.equal([top.address, top.address]);
    for (const judge of judges) expect(await conflicts(judge, [top, lowest])).to.deep.equal([true, true]);
  });
});
