import { join } from "node:path";
import { expect } from "chai";
import { intentKey } from "../../orchestrator/chain/outbox.ts";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { devnetSociety, memberOf, withPool } from "../../orchestrator/city/founding/society.ts";
import { lieAbout } from "../../orchestrator/city/world.ts";
import { parseContentId } from "../../orchestrator/primitives/hash.ts";
import { parseJsonBytes } from "../../orchestrator/primitives/json.ts";
import { briefingSchema, publishedSchema } from "../../orchestrator/protocol/debate.ts";
import { balances, type Outcome } from "../../orchestrator/protocol/outcome.ts";
import { divideLoss } from "../../orchestrator/rules/loss-shares.ts";
import { carryOutIn, openHome } from "../support/city-home.ts";
import { rejection } from "../support/rejection.ts";
import { CALM_ROWS, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const POOL = 1n;
/** What a bid of LOW risk locks, smallest unit. */
const STAKE = 150_000_000n;
const NAMES = ["P1", "P2", "P3"] as const;
type Name = (typeof NAMES)[number];
/** What P1 is registered with: nothing of it may back a bid. */
const REGISTRATION = 1_000_000_000n;
/** What each puts in: amounts by which a loss does not divide evenly. */
const PUT_IN: Readonly<Record<Name, bigint>> = { P1: 300_000_001n, P2: 200_000_003n, P3: 100_000_000n };

const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);

/** Three producers bid with what they put together: in one mission one of them cheats, in the next nobody does, then too few are left. */
describe("scenario: a stake pool behind bids", function () {
  this.timeout(300_000);
  const directory = suiteDirectory();
  let home: string;
  let city: City;
  let open: () => Promise<City>;
  let cross: City["boundary"] = async () => {};
  let text: string;
  let cheated: Outcome;
  let honest: Outcome;

  const agent = (name: Name) => memberOf(city.society, "producer", name).account.address;
  const principal = (name: Name) => memberOf(city.society, "principal", memberOf(city.society, "producer", name).principal).account;
  const manager = () => memberOf(city.society, "manager", "Mole").account;
  const contributions = async () => {
    const seats = await city.client.pools.participantsOf(POOL);
    return NAMES.map((name) => seats.find((seat) => seat.agent === agent(name))?.contribution ?? 0n);
  };
  /** By hand, as a participant does it: with its principal's key, once. */
  const leave = (name: Name) =>
    city.client.pools.leave([POOL, agent(name)], { intent: intentKey("leave", name), account: principal(name) });
  const coversOf = async ({ mission }: Outcome) =>
    (await city.client.pools.history("CoverLocked")).filter(({ args }) => args.mission === mission).map(({ args }) => args);

  before(async () => {
    home = join(directory(), "home");
    const reruns = {
      read: { service: "fetch-and-parse", over: "input", tier: 1 },
      report: { service: "aggregate", after: ["read"], tier: 1 },
    };
    text = smallMission(smallInputs(directory(), CALM_ROWS).csv, { tasks: reruns });
    const society = devnetSociety().map((member) => (member.name === "P1" ? { ...member, stake: REGISTRATION } : member));
    open = () => openHome(home, "21", { society: withPool(society, "Mole", PUT_IN), boundary: (name) => cross(name) });
    city = await open();
  });
  after(() => city?.close());

  it("holds from the first day what its producers' principals put in", async () => {
    const { pools, token } = city.client;
    expect((await pools.poolOf(POOL)).manager).to.equal(manager().address);
    expect(await contributions()).to.deep.equal(NAMES.map((name) => PUT_IN[name]));
    expect(await token.balanceOf(pools.address)).to.equal(sum(Object.values(PUT_IN)));
  });

  describe("when the executor that it stands for cheats", () => {
    let liar: Name | undefined;

    before(async () => {
      cheated = await carryOutIn(city, text, {
        id: "cheated",
        home,
        tamper: ({ agent: name }, output) => {
          const own = NAMES.find((each) => each === name);
          if (liar !== undefined || own === undefined) return output;
          liar = own;
          return lieAbout(output);
        },
      });
    });

    it("bears the slash in proportion, and not a unit is lost", async () => {
      const { pools, token } = city.client;
      const slashes = (await pools.history("PoolSlashed")).map(({ args: { pool, agent: of, amount } }) => ({ pool, of, amount }));
      expect(slashes).to.deep.equal([{ pool: POOL, of: agent(liar ?? "P1"), amount: STAKE }]);
      const before = NAMES.map((name) => PUT_IN[name]);
      const shares = divideLoss(STAKE, before);
      expect(sum(shares)).to.equal(STAKE);
      expect(await contributions()).to.deep.equal(before.map((part, place) => part - (shares[place] ?? 0n)));
      expect(await token.balanceOf(pools.address)).to.equal(sum(before) - STAKE);
    });

    it("pays a hundredth to who settled, half of the rest to the treasury and half to insurance, and nothing is taken from the cheat's own stake", async () => {
      const { agents, pools, treasury } = city.client;
      const fees = await treasury.history("FeesReceived", { from: pools.address });
      const insurance = await treasury.history("InsuranceReceived", { from: pools.address });
      const rest = STAKE - STAKE / 100n;
      expect(fees.map(({ args }) => args.amount)).to.deep.equal([rest / 2n]);
      expect(insurance.map(({ args }) => args.amount)).to.deep.equal([rest / 2n]);
      expect(await agents.history("StakeSlashed")).to.deep.equal([]);
      expect((await agents.stakeOf(agent(liar ?? "P1"))).locked).to.equal(0n);
    });

    it("does not stop the mission: another executor is paid, every unit is accounted for, and the audit agrees", async () => {
      expect(cheated).to.deep.include({ status: "completed", slashed: STAKE.toString() });
      expect(balances(cheated.money)).to.equal(true);
      expect(cheated.nodes.flatMap(({ attempts }) => (attempts === 1 ? [] : [attempts]))).to.deep.equal([2]);
      expect((await auditBundle(cheated.bundle ?? "")).passed).to.equal(true);
    });

    it("lets one bid who has no stake of its own for it", async () => {
      expect((await city.client.agents.stakeOf(agent("P1"))).held).to.equal(REGISTRATION);
      expect((await coversOf(cheated)).map((cover) => cover.agent)).to.include(agent("P1"));
    });

    it("stands behind nothing more once the mission is over", async () => {
      const { committed, covers } = await city.client.pools.poolOf(POOL);
      expect([committed, covers]).to.deep.equal([0n, 0]);
      expect((await coversOf(cheated)).length).to.be.greaterThan(1);
    });
  });

  describe("when the work is honest", () => {
    let held: bigint[];
    let refused: Error | undefined;
    let takenBack: number;
    let stopped: Error;

    before(async () => {
      held = await contributions();
      const granted = async () => (await city.client.pools.history("CoverGranted")).length;
      const earlier = await granted();
      cross = async (name) => {
        if (name === "sender:broadcast" && (await granted()) > earlier) throw new Error("stopped at the first cover");
      };
      stopped = await rejection(carryOutIn(city, text, { id: "honest", home }));
      await city.close();
      let isTakenBack = false;
      cross = async (name) => {
        if (name === "sender:broadcast" && !isTakenBack) {
          const [first] = (await city.client.pools.history("CoverGranted")).slice(earlier);
          if (first === undefined || first.args.agent !== agent("P1")) return;
          isTakenBack = true;
          takenBack = first.args.node;
          const options = { intent: intentKey("uncover"), account: principal("P1") };
          await city.client.pools.uncover([first.args.mission, takenBack, agent("P1")], options);
        }
        if (name !== "execution:routed" || refused !== undefined) return;
        refused = await rejection(leave("P3"));
        const options = { intent: intentKey("notice", "P3"), account: principal("P3") };
        await city.client.pools.giveNotice([POOL, agent("P3")], options);
      };
      city = await open();
      honest = await carryOutIn(city, text, { id: "honest", home });
    });

    it("stands for each bid once, though the command was stopped between cover and bid, and given again", async () => {
      expect(stopped.message).to.equal("stopped at the first cover");
      const granted = (await city.client.pools.history("CoverGranted")).filter(({ args }) => args.mission === honest.mission);
      const place = ({ node, agent: of }: { readonly node: number; readonly agent: string }) => `${node} ${of}`;
      const placed = granted.map(({ args }) => place(args)).filter((each) => each !== place({ node: takenBack, agent: agent("P1") }));
      expect((await coversOf(honest)).map(place)).to.have.members(placed);
    });

    it("loses one bid, of an agent without stake, when its principal takes the cover back; the market goes on", async () => {
      const bids = await city.client.execution.history("BidPlaced", { mission: honest.mission as `0x${string}` });
      const ofP1 = bids.filter(({ args }) => args.agent === agent("P1")).map(({ args }) => args.node);
      expect(ofP1).to.not.have.length(0);
      expect(ofP1).to.not.include(takenBack);
    });

    it("lets nobody leave while it stands behind a bid", () => {
      expect(refused?.message).to.contain("PoolStandsBehindBids");
    });

    it("loses nothing, whoever it stood for", async () => {
      expect(honest).to.deep.include({ status: "completed", slashed: "0" });
      expect(await coversOf(honest)).to.not.have.length(0);
      expect(await contributions()).to.deep.equal(held);
    });

    it("tells the legislature of the cheat, though its own stake was never touched", async () => {
      const notes = await city.log.read({ kind: "legislature.briefing", subject: honest.session });
      const read = (id: string) => parseJsonBytes(city.blocks.get(parseContentId(id)));
      const { evidence } = briefingSchema.parse(read(publishedSchema.parse(read(notes[0]?.content ?? "")).content));
      const slashed = evidence.flatMap(({ agent: of, facts }) => ((facts["slashed"] ?? 0) === 0 ? [] : [of]));
      expect(slashed).to.deep.equal((await city.client.pools.history("PoolSlashed")).map(({ args }) => args.agent));
    });
  });

  describe("with too few participants", () => {
    before(() => leave("P3"));

    it("refuses to stand for a bid, whoever asks", async () => {
      const { pools } = city.client;
      const mission = honest.mission as `0x${string}`;
      const cover = pools.cover([POOL, mission, 0, agent("P1")], { intent: intentKey("cover by hand"), account: manager() });
      expect((await rejection(cover)).message).to.contain("TooFewParticipants(1, 2, 3)");
    });

    it("is not asked: who has stake bids with that, who has none does not bid, and the mission goes its way", async () => {
      const alone = await carryOutIn(city, text, { id: "alone", home });
      expect(alone.status).to.equal("completed");
      expect(await coversOf(alone)).to.deep.equal([]);
      const bids = await city.client.execution.history("BidPlaced", { mission: alone.mission as `0x${string}` });
      const bidders = bids.map(({ args }) => args.agent);
      expect(bidders).to.include(agent("P2"));
      expect(bidders).to.not.include(agent("P1"));
    });

    it("gives everybody out what is left: all that was put in, less the slash", async () => {
      const { pools, token } = city.client;
      await leave("P1");
      await leave("P2");
      const left = (await pools.history("ParticipantLeft")).map(({ args }) => args.amount);
      expect(sum(left)).to.equal(sum(Object.values(PUT_IN)) - STAKE);
      expect(await token.balanceOf(pools.address)).to.equal(0n);
      for (const name of NAMES) {
        const paid = await token.history("Transfer", { from: pools.address, to: principal(name).address });
        expect(paid.map(({ args }) => args.value)).to.have.length(1);
      }
    });
  });
});
