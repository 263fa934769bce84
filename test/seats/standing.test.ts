import { expect } from "chai";
import { devnetAccount } from "../../orchestrator/chain/devnet.ts";
import { SeatAbsent } from "../../orchestrator/minds/absence.ts";
import { JumpingClock } from "../../orchestrator/primitives/clock.ts";
import { typedData } from "../../orchestrator/protocol/typed-data.ts";
import { type Database, openDatabase } from "../../orchestrator/records/database.ts";
import type { Mailbox } from "../../orchestrator/seats/mailbox.ts";
import { remoteSigning } from "../../orchestrator/seats/remote.ts";
import { cache } from "../support/cache.ts";
import { rejection } from "../support/rejection.ts";
import { mailboxOver } from "./mailboxes.ts";

const agent = { name: "an agent", address: devnetAccount(3).address };
const REQUEST = { type: "Commit", mission: null, message: { node: 0 } };

describe("how a seat elsewhere stands with its city", () => {
  let database: Database;
  let mailbox: Mailbox;
  const chainTime = new JumpingClock(0n);
  let now = 1_000_000;
  /** Time passes when a test says so. */
  const waits = new Set<() => void>();

  before(async () => {
    database = await openDatabase({ cache });
    mailbox = mailboxOver(database, {
      hold: (work) => chainTime.hold(work),
      clock: {
        millis: () => now,
        wait: (millis, signal) =>
          new Promise((resolve) => {
            const pass = () => {
              now += millis;
              resolve();
            };
            waits.add(pass);
            signal.addEventListener("abort", () => {
              waits.delete(pass);
              resolve();
            });
          }),
      },
    });
  });
  after(() => database.close());

  /** Asks, and hands the open call to `then` before any time has passed. */
  async function asked(message: object, then: (id: `0x${string}`) => Promise<unknown>): Promise<Error> {
    const answer = mailbox.ask(agent, "sign", { ...REQUEST, message: { ...REQUEST.message, ...message } });
    const failed = rejection(answer);
    // Recalling an earlier answer takes the database a moment.
    while (waits.size === 0) await new Promise((resolve) => setImmediate(resolve));
    const [open] = mailbox.standingOf(agent.address).open;
    if (open === undefined) throw new Error("nothing is asked");
    expect(open).to.deep.equal({ id: open.id, kind: "sign", answerBy: now + 30_000 });
    await then(open.id);
    return failed;
  }

  it("has asked for nothing and been refused nothing at first", () => {
    expect(mailbox.standingOf(agent.address)).to.deep.equal({ isConnected: false, seen: null, build: null, open: [], refusals: [] });
  });

  it("remembers what was declined with the field that differed, what did not count, and silence", async () => {
    await asked({ node: 1 }, async (id) => mailbox.decline(agent.address, id, "WillNotSign: Commit.node differs"));
    await asked({ node: 2 }, async (id) => {
      expect(await rejection(mailbox.answer(agent.address, id, { signature: "0x00" }))).to.have.property("code", "AnswerRefused");
      await mailbox.decline(agent.address, id, "enough");
    });
    await asked({ node: 3 }, async () => {
      for (const pass of waits) pass();
    });
    const { refusals, open } = mailbox.standingOf(agent.address);
    expect(open).to.deep.equal([]);
    expect(refusals.map(({ by, kind }) => [by, kind])).to.deep.equal([
      ["agent", "sign"],
      ["city", "sign"],
      ["agent", "sign"],
      ["time", "sign"],
    ]);
    expect(refusals[0]?.why).to.equal("WillNotSign: Commit.node differs");
  });

  it("is not gone while it answers, although it asks for nothing new meanwhile", async () => {
    now += 20_000;
    expect(mailbox.isConnected(agent.address)).to.equal(false);
    await asked({ node: 4 }, async (id) => {
      expect(await rejection(mailbox.answer(agent.address, id, { signature: "0x00" }))).to.have.property("code", "AnswerRefused");
      expect(mailbox.isConnected(agent.address)).to.equal(true);
      now += 14_000;
      await mailbox.decline(agent.address, id, "enough");
      now += 14_000;
      expect(mailbox.isConnected(agent.address)).to.equal(true);
    });
    now += 2_000;
    expect(mailbox.isConnected(agent.address)).to.equal(false);
  });

  it("keeps few of them, and none of great length", async () => {
    for (let node = 10; node < 40; node += 1) await asked({ node }, async (id) => mailbox.decline(agent.address, id, "x".repeat(10_000)));
    const { refusals } = mailbox.standingOf(agent.address);
    expect(refusals).to.have.length(20);
    expect(refusals.every(({ why }) => why.length <= 500)).to.equal(true);
  });

  it("is not taken past its deadline by another mission's: chain time stands still while its silence would cost something", async () => {
    await chainTime.sleepUntil(3_600n);
    let isOver = false;
    await asked({ node: 77 }, async () => {
      const next = chainTime.sleepUntil(7_200n).then(() => {
        isOver = true;
      });
      for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      expect([chainTime.now(), isOver]).to.deep.equal([3_600n, false]);
      for (const pass of waits) pass();
      await next;
    });
    expect(chainTime.now()).to.equal(7_200n);
  });

  /** A withdrawal of what a mission paid it, which it may as well sign later. */
  const withdrawn = (nonce: bigint) => {
    const { account } = remoteSigning({ ...agent, principal: agent.address }, mailbox);
    const message = { account: agent.address, by: agent.address, to: agent.address, nonce, deadline: 86_400 };
    return account.signTypedData({ ...typedData("Withdrawal", 31337, agent.address), message });
  };

  it("is not waited for when it was paid and left", async () => {
    now += 20_000;
    expect(await rejection(withdrawn(1n))).to.be.instanceOf(SeatAbsent);
    expect(waits.size).to.equal(0);
    await mailbox.callsTo(agent.address, AbortSignal.abort());
    const failed = rejection(withdrawn(2n));
    while (waits.size === 0) await new Promise((resolve) => setImmediate(resolve));
    const next = chainTime.sleepUntil(90_000n);
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(chainTime.now(), "a signature would be late").to.equal(7_200n);
    // It does not come back while a moment is waited.
    for (const pass of waits) pass();
    expect(await failed).to.be.instanceOf(SeatAbsent);
    await next;
  });
});
