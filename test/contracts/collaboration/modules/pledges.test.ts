import { expect } from "chai";
import { id } from "ethers";
import { type Hex, size, slice, toFunctionSelector } from "viem";
import { hexSchema } from "../../../../orchestrator/primitives/hex.ts";
import { randomStream } from "../../../../orchestrator/primitives/random.ts";
import { commitmentOf } from "../../../../orchestrator/rules/commitments.ts";
import { RuleError } from "../../../../orchestrator/rules/rule-error.ts";
import {
  type CommitWave,
  decodeCommitWave,
  decodeRevealWave,
  encodeCommitWave,
  encodeRevealWave,
} from "../../../../orchestrator/rules/wire.ts";
import { networkHelpers, tokens } from "../../../support/city-fixture.ts";
import {
  FOUR_THREE_ONE,
  type Mission,
  type MissionOptions,
  MissionState,
  NodeState,
  openMission,
  TASK,
} from "../../../support/mission-fixture.ts";

const CONSENSUS = { ...TASK, tier: 2, redundancy: 3, threshold: 2, panelSize: 3 };
const REASONS = {
  WrongNodeState: "WrongNodeState(uint8,uint8,uint256)",
  WrongObligation: "WrongObligation(bytes32,bytes32)",
  WrongTier: "WrongTier(uint8,uint8)",
  WindowClosed: "WindowClosed(uint8,uint40)",
  SlotEmpty: "SlotEmpty(uint8,uint8)",
  AlreadyCommitted: "AlreadyCommitted(uint8,uint8)",
  InvalidSignature: "InvalidSignature(address)",
  Expired: "Expired(uint40)",
  NotCommitted: "NotCommitted(uint8,uint8)",
  TooManyItems: "TooManyItems(uint8,uint8,uint8)",
  TrailMissing: "TrailMissing(uint8,uint8)",
  ClaimsTooLittle: "ClaimsTooLittle(uint8,uint8,uint8)",
  NotAllCommitted: "NotAllCommitted(uint8,uint8)",
  AlreadyRevealed: "AlreadyRevealed(uint8,uint8)",
  OpeningMismatch: "OpeningMismatch(uint8,uint8,bytes32,bytes32)",
} as const;
const reason = (name: keyof typeof REASONS) => toFunctionSelector(REASONS[name]);

describe("Pledges", () => {
  let mission: Mission;
  const routed = async (options: MissionOptions = {}, ...nodes: number[]) => {
    mission = await (await (await openMission(options)).activate()).awardAll();
    await mission.route(...(nodes.length === 0 ? [0] : nodes));
  };
  const two = { nodes: [TASK, CONSENSUS] };
  const all = [0, 1];
  const skips = (call: Promise<unknown>, node: number, slot: number, why: keyof typeof REASONS) =>
    expect(call).to.emit(mission.contract, "Skipped").withArgs(node, slot, 0, reason(why));

  afterEach(async () => expect(await mission.imbalance()).to.equal(""));

  describe("commitWave", () => {
    it("takes the commitments of a wave, sealed and opened, under one signature of each executor, as the single calls would", async () => {
      await routed(two, ...all);
      await mission.contract.commitWave(await mission.commitWave(mission.places(all)));
      for (const [node, slot] of mission.places(all)) {
        expect(await mission.contract.pledgeOf(node, slot)).to.equal(await mission.commitmentOf(node, slot));
      }
      expect(await mission.stateOf(0)).to.equal(NodeState.PENDING_VERIFICATION);
      expect(await mission.stateOf(1)).to.equal(NodeState.EXECUTING);
      expect((await mission.contract.nodeOf(1)).commitMask).to.equal(0b111n);
    });

    it("goes with single commitments before and after it", async () => {
      await routed(two, ...all);
      const wave = await mission.commitWave(mission.places(all));
      await mission.commit(1, 1);
      const call = mission.contract.commitWave(wave);
      await skips(call, 1, 1, "AlreadyCommitted");
      expect((await mission.contract.nodeOf(1)).commitMask).to.equal(0b111n);
      expect(await mission.stateOf(0)).to.equal(NodeState.PENDING_VERIFICATION);
    });

    it("lets one executor's bad or late signature cost only its own slots", async () => {
      await routed(two, ...all);
      const spoilt = (change: (signer: CommitWave["signers"][number]) => CommitWave["signers"][number]) =>
        mission.commitWave(
          [
            [1, 0],
            [1, 1],
            [1, 2],
          ],
          (wave) => ({
            ...wave,
            signers: wave.signers.map((signer, at) => (at === 1 ? change(signer) : signer)),
          }),
        );
      const forged = await spoilt((signer) => ({ ...signer, signature: `0x${"11".repeat(64)}1b` }));
      await skips(mission.contract.commitWave(forged), 1, 1, "InvalidSignature");
      expect((await mission.contract.nodeOf(1)).commitMask).to.equal(0b101n);
      const late = await spoilt((signer) => ({ ...signer, deadline: 1 }));
      await skips(mission.contract.commitWave(late), 1, 1, "Expired");
      await skips(mission.contract.commitWave(late), 1, 0, "AlreadyCommitted");
      expect((await mission.contract.nodeOf(1)).commitMask).to.equal(0b101n);
    });

    it("takes nobody's word for another's slot", async () => {
      await routed(two, ...all);
      const [zero, one] = [await mission.executorOf(1, 0), await mission.executorOf(1, 1)];
      expect(zero.agent.address).to.not.equal(one.agent.address);
      // Signed by the executor of slot 0, for slot 1.
      const deadline = Number(await mission.soon());
      const commitment = await mission.commitmentOf(1, 1);
      const message = { agent: zero.agent.address, slots: [(1n << 16n) | 1n], commitments: [commitment], deadline };
      const signature = hexSchema.parse(await mission.city.sign("Commits", mission.address, message, zero.agent));
      const signers = [{ agent: hexSchema.parse(zero.agent.address), deadline, signature }];
      const wave = encodeCommitWave({ signers, pledges: [{ node: 1, slot: 1, attempt: 0, signer: 0, commitment }] });
      await skips(mission.contract.commitWave(wave), 1, 1, "InvalidSignature");
    });

    it("skips what does not fit its slot, and takes the rest", async () => {
      await routed(two, ...all);
      const changed = (change: (pledge: CommitWave["pledges"][number]) => CommitWave["pledges"][number]) =>
        mission.commitWave([[0, 0]], (wave) => ({ ...wave, pledges: wave.pledges.map(change) }));
      // Nobody else signed for these: the changed place makes the signature one over something else.
      await skips(mission.contract.commitWave(await changed((pledge) => ({ ...pledge, slot: 3 }))), 0, 3, "InvalidSignature");
      const early = await mission.commitWave([[0, 0]]);
      await mission.contract.connect(mission.city.monitor).report(0, id("TOOL_LIMIT"), 41);
      await skips(mission.contract.commitWave(early), 0, 0, "WrongNodeState");
      await networkHelpers.time.increase(60);
      const late = await mission.commitWave(mission.places([1]));
      for (const slot of [0, 1, 2]) await skips(mission.contract.commitWave(late), 1, slot, "WindowClosed");
    });

    it("demands of an opening and of a sealed commitment what the single calls demand", async () => {
      await routed(two, ...all);
      const { agent } = await mission.executorOf(0);
      const sealed = await mission.executorOf(1, 0);
      const deadline = Number(await mission.soon());
      const signed = async (by: typeof agent, slot: bigint, commitment: Hex) => ({
        agent: hexSchema.parse(by.address),
        deadline,
        signature: hexSchema.parse(
          await mission.city.sign(
            "Commits",
            mission.address,
            { agent: by.address, slots: [slot], commitments: [commitment], deadline },
            by,
          ),
        ),
      });
      const zero: Hex = `0x${"00".repeat(32)}`;
      const nothing = { node: 1, slot: 0, attempt: 0, signer: 0, commitment: zero };
      const opening = await mission.opening(0);
      const spoilt = [
        ["TooManyItems", { ...opening, items: 33 }],
        ["TrailMissing", { ...opening, trailRoot: zero }],
        ["ClaimsTooLittle", { ...opening, items: 0 }],
      ] as const;
      for (const [why, bad] of spoilt) {
        const commitment = commitmentOf(hexSchema.parse(agent.address), bad, hexSchema.parse(await mission.contract.obligationOf(0)));
        const pledges = [{ node: 0, slot: 0, attempt: 0, signer: 0, opening: bad }];
        const wave = encodeCommitWave({ signers: [await signed(agent, 0n, commitment)], pledges });
        await skips(mission.contract.commitWave(wave), 0, 0, why);
      }
      const empty = encodeCommitWave({ signers: [await signed(sealed.agent, 1n << 16n, zero)], pledges: [nothing] });
      await skips(mission.contract.commitWave(empty), 1, 0, "NotCommitted");
      const wrongTier = { node: 0, slot: 0, attempt: 0, signer: 0, commitment: hexSchema.parse(id("x")) };
      const hidden = encodeCommitWave({ signers: [await signed(agent, 0n, wrongTier.commitment)], pledges: [wrongTier] });
      await skips(mission.contract.commitWave(hidden), 0, 0, "WrongTier");
      const beyond = { ...wrongTier, node: 1, slot: 4 };
      const outside = encodeCommitWave({ signers: [await signed(agent, (1n << 16n) | 4n, beyond.commitment)], pledges: [beyond] });
      await skips(mission.contract.commitWave(outside), 1, 4, "SlotEmpty");
      const stale = { ...wrongTier, node: 1, attempt: 1 };
      const old = encodeCommitWave({ signers: [await signed(agent, (1n << 16n) | 256n, stale.commitment)], pledges: [stale] });
      await expect(mission.contract.commitWave(old)).to.emit(mission.contract, "Skipped").withArgs(1, 0, 1, reason("WrongObligation"));
    });

    it("is refused whole when there is nothing in it, or the mission is over", async () => {
      await routed();
      const nothing = encodeCommitWave({ signers: [], pledges: [] });
      await expect(mission.contract.commitWave(nothing)).to.be.revertedWithCustomError(mission.contract, "EmptyBatch");
      await expect(mission.contract.revealWave("0x0000")).to.be.revertedWithCustomError(mission.contract, "EmptyBatch");
      const wave = await mission.commitWave([[0, 0]]);
      await networkHelpers.time.increase(604_800);
      await mission.contract.abort();
      expect(await mission.contract.state()).to.equal(MissionState.ABORTED);
      await expect(mission.contract.commitWave(wave)).to.be.revertedWithCustomError(mission.contract, "WrongMissionState");
    });
  });

  describe("revealWave", () => {
    it("opens a wave once all have committed, and skips what is not there, was opened or is something else", async () => {
      await routed({ nodes: [CONSENSUS] });
      await mission.commit(0, 0);
      const early = await mission.revealWave([[0, 0]]);
      await skips(mission.contract.revealWave(early), 0, 0, "NotAllCommitted");
      await mission.contract.commitWave(
        await mission.commitWave([
          [0, 1],
          [0, 2],
        ]),
      );
      await mission.reveal(0, 1);
      const [first] = decodeRevealWave(early);
      if (first === undefined) throw new Error("the wave is empty");
      const swapped = encodeRevealWave([{ ...first, slot: 2 }, { ...first, slot: 3 }, first]);
      const call = mission.contract.revealWave(swapped);
      await skips(call, 0, 2, "OpeningMismatch");
      await skips(call, 0, 3, "NotCommitted");
      expect((await mission.contract.nodeOf(0)).revealMask).to.equal(0b011n);
      await skips(mission.contract.revealWave(early), 0, 0, "AlreadyRevealed");
      await mission.contract.revealWave(await mission.revealWave([[0, 2]]));
      expect(await mission.stateOf(0)).to.equal(NodeState.PENDING_VERIFICATION);
    });

    it("ends the committing when time is up and enough have committed; the absent lose 50", async () => {
      await routed({ nodes: [CONSENSUS] });
      await mission.contract.commitWave(
        await mission.commitWave([
          [0, 1],
          [0, 2],
        ]),
      );
      await networkHelpers.time.increase(60);
      const absent = (await mission.executorOf(0, 0)).agent;
      await mission.contract.revealWave(
        await mission.revealWave([
          [0, 1],
          [0, 2],
        ]),
      );
      expect((await mission.city.producers.stakeOf(absent.address)).held).to.equal(tokens(9950));
      expect(await mission.stateOf(0)).to.equal(NodeState.PENDING_VERIFICATION);
      await skips(mission.contract.revealWave(await mission.revealWave([[0, 1]])), 0, 1, "WrongNodeState");
    });

    it("belongs to its tier, and to openings that say what they must", async () => {
      await routed();
      await skips(mission.contract.revealWave(await mission.revealWave([[0, 0]])), 0, 0, "WrongTier");
    });
  });

  describe("the bytes of a wave", () => {
    it("are read alike here and on chain, whatever is changed in them", async () => {
      await routed({ nodes: FOUR_THREE_ONE.slice(0, 5).map((node) => ({ ...node, predecessors: 0n })) }, 0, 1, 2, 3, 4);
      const whole = await mission.commitWave(mission.places([0, 1, 4]));
      expect(encodeCommitWave(decodeCommitWave(whole))).to.equal(whole);
      const random = randomStream(11, "waves");
      const spoilt = Array.from({ length: 120 }, (_, turn): Hex => {
        if (turn % 3 === 0) return slice(whole, 0, random.int(size(whole)));
        if (turn % 3 === 1) return `${whole}${"00".repeat(1 + random.int(40))}`;
        const at = random.int(size(whole));
        return `0x${whole.slice(2, 2 + 2 * at)}${random.int(256).toString(16).padStart(2, "0")}${whole.slice(4 + 2 * at)}`;
      });
      let malformed = 0;
      for (const wave of spoilt) {
        const offset = offsetOf(() => decodeCommitWave(wave));
        const call = mission.contract.commitWave.staticCall(wave);
        if (offset === undefined) {
          // Whole, but perhaps of nodes that the law does not have.
          await call.catch((error: unknown) => expect(String(error)).to.not.include("MalformedWave"));
        } else {
          malformed += 1;
          await expect(call, wave).to.be.revertedWithCustomError(mission.contract, "MalformedWave").withArgs(offset);
        }
      }
      expect(malformed).to.be.greaterThan(60);
    });

    it("of reveals too", async () => {
      await routed({ nodes: [CONSENSUS] });
      for (const slot of [0, 1, 2]) await mission.commit(0, slot);
      const whole = await mission.revealWave(mission.places([0]));
      expect(encodeRevealWave(decodeRevealWave(whole))).to.equal(whole);
      for (const wave of [slice(whole, 0, 1), slice(whole, 0, 100), slice(whole, 0, size(whole) - 1), `${whole}00` as const]) {
        const call = mission.contract.revealWave.staticCall(wave);
        await expect(call)
          .to.be.revertedWithCustomError(mission.contract, "MalformedWave")
          .withArgs(offsetOf(() => decodeRevealWave(wave)));
      }
    });
  });
});

/** Where the twin stops reading; undefined where it does not. */
function offsetOf(decode: () => unknown): number | undefined {
  try {
    decode();
    return undefined;
  } catch (error) {
    if (!(error instanceof RuleError)) throw error;
    return Number(error.values[0]);
  }
}
