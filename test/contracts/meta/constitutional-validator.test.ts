import { expect } from "chai";
import { ZeroAddress } from "ethers";
import { zeroHash } from "viem";
import { DEVNET } from "../../../orchestrator/protocol/parameters.ts";
import { type LawHeader, type LawNode, lawNode } from "../../../orchestrator/rules/law-codec.ts";
import { readSeat } from "../../../orchestrator/rules/panel-draw.ts";
import { Kind, loadCity, loadFixture, tokens } from "../../support/city-fixture.ts";
import { DEPOSIT, GOAL, hash, lawOf, node, setParameter } from "../../support/legislature.ts";

/** Ten levels of 128 of 255: match is measured against 256 times as much. */
const levels = (level: number, dimensions = 10): bigint =>
  Array.from({ length: dimensions }, (_, d) => BigInt(level) << BigInt(8 * d)).reduce((a, b) => a | b, 0n);
const held = (level: number, dimensions = 10): bigint =>
  Array.from({ length: dimensions }, (_, d) => BigInt(level) << BigInt(16 * d)).reduce((a, b) => a | b, 0n);

const VERIFIERS = 7;

async function inhabited() {
  const city = await loadCity();
  const witnesses: string[] = [];
  for (let i = 0; i < 5; i++) {
    witnesses.push((await city.register(`witness ${i}`, { capabilities: held(60 * 256, 5) })).agent.address);
  }
  for (let i = 0; i < VERIFIERS; i++) {
    const { agent } = await city.register(`verifier ${i}`, { kind: Kind.VERIFIER, stake: tokens(2000) });
    await city.evidence.registerVerifier(agent.address, 100);
  }
  return { ...city, witnesses };
}
const load = () => loadFixture(inhabited);
type Inhabited = Awaited<ReturnType<typeof inhabited>>;

const TERMS = { goalHash: GOAL, deposit: DEPOSIT, sponsor: ZeroAddress, drafter: ZeroAddress, edition: 0 };

/** What the chain says to a law with these nodes and header. */
function judged(
  { validator, witnesses }: Inhabited,
  nodes: readonly LawNode[],
  header: Partial<LawHeader> = {},
  deposit = header.budget ?? DEPOSIT,
) {
  return validator.validate(lawOf(nodes, header), { ...TERMS, deposit }, witnesses);
}

const LOWEST = 0;
const LOWEST_SHAPE: Partial<LawNode> = {};
const MEDIUM = {
  risk: 1,
  floor: Number(DEVNET.MIN_FLOOR_MEDIUM),
  panelSize: Number(DEVNET.MIN_PANEL_MEDIUM),
  band: Number(DEVNET.MIN_BAND_MEDIUM),
};
const HIGH = {
  risk: 2,
  floor: Number(DEVNET.MIN_FLOOR_HIGH),
  panelSize: Number(DEVNET.MIN_PANEL_HIGH),
  band: Number(DEVNET.MIN_BAND_HIGH),
};

describe("ConstitutionalValidator", () => {
  it("passes a lawful law and answers its risk", async () => {
    const city = await load();
    expect(await judged(city, [node(), node({ predecessors: 1n })])).to.equal(LOWEST);
    expect(await judged(city, [node(MEDIUM)], { risk: 1 })).to.equal(1);
    const tier2 = node({ tier: 2, redundancy: 3, threshold: 2, predecessors: 1n });
    expect(await judged(city, [node(), tier2, node({ tier: 3, predecessors: 0b11n })], { risk: 2 })).to.equal(2);
  });

  it("leaves a reserve, but lets no node spend more than there is", async () => {
    const city = await load();
    await judged(city, [node({ budget: DEPOSIT })]);
    const nodes = [node({ budget: tokens(300) }), node({ budget: tokens(100) + 1n })];
    await expect(judged(city, nodes))
      .to.be.revertedWithCustomError(city.validator, "BudgetMismatch")
      .withArgs(DEPOSIT, DEPOSIT + 1n);
  });

  it("holds law, deposit and cap together", async () => {
    const city = await load();
    const { validator } = city;
    for (const deposit of [DEPOSIT - 1n, DEPOSIT + 1n]) {
      await expect(judged(city, [node()], {}, deposit))
        .to.be.revertedWithCustomError(validator, "DepositMismatch")
        .withArgs(deposit, DEPOSIT);
    }
    const cap = tokens(DEVNET.MISSION_BUDGET_CAP);
    await judged(city, [node()], { budget: cap, risk: 2 });
    await expect(judged(city, [node()], { budget: cap + 1n, risk: 2 }))
      .to.be.revertedWithCustomError(validator, "BudgetOverCap")
      .withArgs(cap + 1n, cap);
  });

  it("wants the goal the sponsor stated", async () => {
    const { validator, witnesses } = await load();
    await expect(validator.validate(lawOf([node()]), { ...TERMS, goalHash: hash("another goal") }, witnesses))
      .to.be.revertedWithCustomError(validator, "GoalMismatch")
      .withArgs(hash("another goal"), GOAL);
  });

  it("limits how long a mission may last", async () => {
    const city = await load();
    const longest = Number(DEVNET.MAX_MISSION_DURATION);
    await judged(city, [node()], { duration: longest });
    for (const duration of [0, longest + 1]) {
      await expect(judged(city, [node()], { duration }))
        .to.be.revertedWithCustomError(city.validator, "DurationOutOfRange")
        .withArgs(duration, longest);
    }
  });

  it("lets work be anchored later where risk is not high, and no later than a start is waited for", async () => {
    const city = await load();
    const most = Number(DEVNET.VERIFICATION_TIMEOUT);
    await judged(city, [node()], { anchorInterval: most });
    await expect(judged(city, [node()], { anchorInterval: most + 1 }))
      .to.be.revertedWithCustomError(city.validator, "AnchorIntervalOutOfRange")
      .withArgs(most + 1, most);
    await expect(judged(city, [node()], { risk: HIGH.risk, anchorInterval: 1 }))
      .to.be.revertedWithCustomError(city.validator, "AnchorIntervalOutOfRange")
      .withArgs(1, 0);
  });

  it("refuses a predecessor that does not come before", async () => {
    const city = await load();
    await judged(city, [node(), node({ predecessors: 1n }), node({ predecessors: 0b10n })]);
    for (const [index, predecessors] of [
      [0, 1n],
      [1, 0b10n],
      [1, 0b101n],
      [2, 1n << 255n],
    ] as const) {
      const nodes = [node(), node(), node()];
      nodes[index] = node({ predecessors });
      await expect(judged(city, nodes)).to.be.revertedWithCustomError(city.validator, "ForwardPredecessor").withArgs(index, predecessors);
    }
  });

  it("knows three tiers, and redundancy and majority of each", async () => {
    const city = await load();
    const { validator } = city;
    for (const [changes, error, args] of [
      [{ tier: 0 }, "TierOutOfRange", [0, 0]],
      [{ redundancy: 0, threshold: 0 }, "RedundancyOutOfRange", [0, 1, 0]],
      [{ redundancy: 2, threshold: 2 }, "RedundancyOutOfRange", [0, 1, 2]],
      [{ tier: 3, redundancy: 2, threshold: 2 }, "RedundancyOutOfRange", [0, 3, 2]],
      [{ tier: 2 }, "RedundancyOutOfRange", [0, 2, 1]],
      [{ tier: 2, redundancy: 6, threshold: 4 }, "RedundancyOutOfRange", [0, 2, 6]],
      [{ threshold: 0 }, "ThresholdOutOfRange", [0, 0, 1]],
      [{ tier: 2, redundancy: 4, threshold: 2 }, "ThresholdOutOfRange", [0, 2, 4]],
      [{ tier: 2, redundancy: 5, threshold: 2 }, "ThresholdOutOfRange", [0, 2, 5]],
      [{ tier: 2, redundancy: 3, threshold: 4 }, "ThresholdOutOfRange", [0, 4, 3]],
    ] as [Partial<LawNode>, string, number[]][]) {
      await expect(judged(city, [node(changes)]), JSON.stringify(changes))
        .to.be.revertedWithCustomError(validator, error)
        .withArgs(...args);
    }
    for (const [risk, shape] of [LOWEST_SHAPE, MEDIUM, HIGH].entries()) {
      const fewest = Number([DEVNET.MIN_REDUNDANCY_LOW, DEVNET.MIN_REDUNDANCY_MEDIUM, DEVNET.MIN_REDUNDANCY_HIGH][risk]);
      await judged(city, [node({ ...shape, tier: 2, redundancy: fewest, threshold: fewest })], { risk });
      await expect(judged(city, [node({ ...shape, tier: 2, redundancy: fewest - 1, threshold: fewest - 1 })], { risk }))
        .to.be.revertedWithCustomError(validator, "RedundancyOutOfRange")
        .withArgs(0, 2, fewest - 1);
    }
    for (const [redundancy, threshold] of [
      [2, 2],
      [3, 2],
      [4, 3],
      [5, 3],
      [5, 5],
    ] as const) {
      await judged(city, [node({ tier: 2, redundancy, threshold })]);
    }
  });

  it("keeps timeouts and review windows in range", async () => {
    const city = await load();
    const { validator } = city;
    const max = Number(DEVNET.MAX_NODE_TIMEOUT);
    for (const timeout of [0, max + 1]) {
      await expect(judged(city, [node({ timeout })]))
        .to.be.revertedWithCustomError(validator, "TimeoutOutOfRange")
        .withArgs(0, timeout, max);
    }
    const [least, most] = [Number(DEVNET.MIN_HUMAN_REVIEW_TIMEOUT), Number(DEVNET.MAX_HUMAN_REVIEW_TIMEOUT)];
    for (const reviewWindow of [least - 1, most + 1]) {
      await expect(judged(city, [node({ reviewWindow })]))
        .to.be.revertedWithCustomError(validator, "ReviewWindowOutOfRange")
        .withArgs(0, reviewWindow, least, most);
    }
    await judged(city, [node({ reviewWindow: least }), node({ reviewWindow: most })]);
  });

  it("wants a question and a unit for every slot", async () => {
    const city = await load();
    await expect(judged(city, [node({ questions: 0 })]))
      .to.be.revertedWithCustomError(city.validator, "NoQuestion")
      .withArgs(0);
    const slots = { tier: 2, redundancy: 3, threshold: 2 };
    await judged(city, [node({ ...slots, budget: 3n })]);
    for (const budget of [0n, 2n]) {
      await expect(judged(city, [node({ ...slots, budget })]))
        .to.be.revertedWithCustomError(city.validator, "ZeroBudget")
        .withArgs(0);
    }
  });

  it("derives the least risk of node and mission from money", async () => {
    const city = await load();
    const { validator } = city;
    const [medium, high] = [tokens(DEVNET.MEDIUM_RISK_FROM), tokens(DEVNET.HIGH_RISK_FROM)];
    for (const [budget, required] of [
      [medium, 1],
      [high - 1n, 1],
      [high, 2],
    ] as const) {
      const lowest = required - 1;
      await expect(judged(city, [node()], { budget, risk: lowest }))
        .to.be.revertedWithCustomError(validator, "MissionRiskTooLow")
        .withArgs(lowest, required);
      const shape = required === 2 ? MEDIUM : {};
      await expect(judged(city, [node({ ...shape, budget })], { budget, risk: required }))
        .to.be.revertedWithCustomError(validator, "RiskTooLow")
        .withArgs(0, lowest, required);
    }
    await judged(city, [node({ budget: medium - 1n })], { budget: medium - 1n });
    await judged(city, [node({ ...HIGH, budget: high })], { budget: high, risk: 2 });
  });

  it("lets no node be riskier than its mission says", async () => {
    const city = await load();
    await expect(judged(city, [node(), node(HIGH)], { risk: 1 }))
      .to.be.revertedWithCustomError(city.validator, "MissionRiskTooLow")
      .withArgs(1, 2);
  });

  it("protects each risk by floor, panel and band", async () => {
    const city = await load();
    for (const [risk, name] of ["LOW", "MEDIUM", "HIGH"].entries()) {
      const parameter = (what: string) => Number(DEVNET[`MIN_${what}_${name}` as keyof typeof DEVNET]);
      const lawful = node({ risk, floor: parameter("FLOOR"), panelSize: parameter("PANEL"), band: parameter("BAND") });
      await judged(city, [lawful], { risk: 2 });
      for (const [field, error] of [
        ["floor", "FloorTooLow"],
        ["panelSize", "PanelTooSmall"],
        ["band", "BandTooLow"],
      ] as const) {
        if (lawful[field] === 0) continue;
        const below = lawful[field] - 1;
        await expect(judged(city, [{ ...lawful, [field]: below }], { risk: 2 }), `${name} ${field}`)
          .to.be.revertedWithCustomError(city.validator, error)
          .withArgs(0, below, lawful[field]);
      }
    }
  });

  it("reads the parameters of the session's edition", async () => {
    const city = await load();
    const { validator, witnesses } = city;
    await setParameter(city, "MIN_PANEL_LOW", 7);
    await setParameter(city, "MIN_FLOOR_LOW", 2);
    const told = (edition: number, changes: Partial<LawNode> = {}) =>
      validator.validate(lawOf([node(changes)]), { ...TERMS, edition }, witnesses);
    await told(0);
    for (const edition of [1, 2]) {
      await expect(told(edition)).to.be.revertedWithCustomError(validator, edition === 1 ? "PanelTooSmall" : "FloorTooLow");
    }
    await told(1, { panelSize: 7 });
    // A minimum of WIT admits REC as well, for neither stands above the other.
    for (const floor of [2, 3]) await told(2, { floor, panelSize: 7 });
    await expect(told(2, { floor: 1, panelSize: 7 }))
      .to.be.revertedWithCustomError(validator, "FloorTooLow")
      .withArgs(0, 1, 2);
  });

  it("wants witnesses of different principals who could fill every slot, none of them the sponsor's", async () => {
    const city = await load();
    const { validator, witnesses, producers } = city;
    const law = lawOf([node(), node({ tier: 2, redundancy: 3, threshold: 2 })]);
    const told = (given: string[], over: Partial<typeof TERMS> = {}) => validator.validate(law, { ...TERMS, ...over }, given);
    await told(witnesses.slice(0, 3));
    const again = (await city.register("again", { principal: await city.account("principal of witness 0") })).agent.address;
    for (const [given, index, able, needed] of [
      [[], 0, 0, 1],
      [witnesses.slice(0, 2), 1, 2, 3],
      [[witnesses[0], witnesses[0], witnesses[1]], 1, 2, 3],
    ] as [string[], number, number, number][]) {
      await expect(told(given)).to.be.revertedWithCustomError(validator, "TooFewAble").withArgs(index, able, needed);
    }
    expect(await producers.principalOf(again)).not.to.equal(ZeroAddress);
    const verifier = (await city.register("verifier", { kind: Kind.VERIFIER })).agent.address;
    const banned = (await city.register("banned")).agent.address;
    await producers.ban(banned, hash("reason"));
    for (const not of [verifier, banned, city.addresses.TREASURY]) {
      await expect(told([...witnesses, not]))
        .to.be.revertedWithCustomError(validator, "WitnessIneligible")
        .withArgs(5, not);
    }
    const sponsor = await producers.principalOf(witnesses[1] ?? "");
    await expect(told(witnesses, { sponsor })).to.be.revertedWithCustomError(validator, "WitnessIneligible").withArgs(1, witnesses[1]);
    // The witnesses hold 60 · 256 in five of ten dimensions.
    await judged(city, [node({ capabilities: levels(60, 5) })]);
    await judged(city, [node({ capabilities: levels(100, 5) })]);
    for (const capabilities of [levels(101, 5), levels(60, 10)]) {
      await expect(judged(city, [node(), node({ capabilities })]))
        .to.be.revertedWithCustomError(validator, "TooFewAble")
        .withArgs(1, 0, 1);
    }
  });

  it("counts at most half of a consensus on producers without a vote", async () => {
    const city = await load();
    await city.constitution.seal();
    const newcomers: string[] = [];
    for (const name of ["one", "two"]) newcomers.push((await city.register(name, { capabilities: held(39_322, 5) })).agent.address);
    const [first = "", second = ""] = city.witnesses;
    const told = (law: LawNode, ...given: string[]) => city.validator.validate(lawOf([law]), TERMS, given);
    const consensus = node({ tier: 2, redundancy: 3, threshold: 2 });
    await expect(told(consensus, first, ...newcomers))
      .to.be.revertedWithCustomError(city.validator, "TooFewAble")
      .withArgs(0, 2, 3);
    await told(consensus, ...newcomers, first, second);
    await told(node(), ...newcomers);
  });

  it("wants a panel beside the sponsor and the executors of the widest node", async () => {
    const city = await load();
    const { validator, evidence, witnesses } = city;
    await judged(city, [node({ panelSize: VERIFIERS })]);
    const [seat = 0n] = await evidence.drawPanel(hash("seed"), 1, [], 2n ** 64n);
    const sponsor = await evidence.principalOf(readSeat(seat).verifier);
    const law = lawOf([node({ panelSize: VERIFIERS }), node()]);
    await expect(validator.validate(law, { ...TERMS, sponsor }, witnesses))
      .to.be.revertedWithCustomError(evidence, "PanelUnavailable")
      .withArgs(VERIFIERS, VERIFIERS - 1);
  });

  it("names only predicates that adjudicators approved", async () => {
    const city = await load();
    for (const [nodes, header] of [
      [[node(), node({ predicate: 7 })], {}],
      [[node()], { outputPredicate: 7 }],
    ] as const) {
      await expect(judged(city, nodes, header))
        .to.be.revertedWithCustomError(city.validator, "UnknownPredicate")
        .withArgs(7);
    }
    await city.execution.approvePredicate(7, city.addresses.TREASURY);
    await judged(city, [node({ predicate: 7 })], { outputPredicate: 7 });
  });

  it("has no gate on a node that becomes a mission: that has its own", async () => {
    const city = await load();
    await city.execution.approvePredicate(7, city.addresses.TREASURY);
    await expect(judged(city, [node({ leaf: false, predicate: 7 })]))
      .to.be.revertedWithCustomError(city.validator, "GateOnBranch")
      .withArgs(0, 7);
    await judged(city, [node({ leaf: false })]);
  });

  it("wants code to be admitted for every leaf, and any code only where executors are compared or a human reads", async () => {
    const city = await load();
    await expect(judged(city, [node({ leaf: false }), node()], { servicesRoot: zeroHash }))
      .to.be.revertedWithCustomError(city.validator, "NothingAdmitted")
      .withArgs(1);
    await judged(city, [node({ leaf: false })], { servicesRoot: zeroHash });
    const any = { anyCode: true };
    for (const [changes, tier] of [
      [{ ...any }, 1],
      [{ ...any, leaf: false, tier: 3 }, 3],
    ] as const) {
      await expect(judged(city, [node(), node(changes)]))
        .to.be.revertedWithCustomError(city.validator, "AnyNeedsRedundancy")
        .withArgs(1, tier);
    }
    await judged(city, [node({ ...any, tier: 2, redundancy: 2, threshold: 2 }), node({ ...any, tier: 3 })]);
  });

  it("refuses bytes that are no law", async () => {
    const { validator, witnesses } = await load();
    for (const law of ["0x", "0x01", `${lawOf([node()])}00`, `0x${"00".repeat(96)}`]) {
      await expect(validator.validate(law, TERMS, witnesses)).to.be.revertedWithCustomError(validator, "MalformedLaw");
    }
    const law = lawOf([node()]);
    // A set spare bit in the second word of the node.
    const spoiled = `${law.slice(0, -64)}80${law.slice(-62)}`;
    await expect(validator.validate(spoiled, TERMS, witnesses)).to.be.revertedWithCustomError(validator, "MalformedNode");
    expect(lawNode(law, 0).leaf).to.equal(true);
  });

  it("judges a law of 256 nodes", async () => {
    const city = await load();
    const nodes = Array.from({ length: 256 }, (_, i) => node({ budget: 1n, predecessors: i === 0 ? 0n : 1n << BigInt(i - 1) }));
    await judged(city, nodes);
  });
});
