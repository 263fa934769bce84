import { expect } from "chai";
import { privateKeyToAccount } from "viem/accounts";
import { z } from "zod";
import { openNonces } from "../../orchestrator/gateway/nonces.ts";
import { challengeText, Webhooks } from "../../orchestrator/gateway/webhooks.ts";
import type { StreamEvent } from "../../orchestrator/hub/view.ts";
import { AgentCityError } from "../../orchestrator/primitives/errors.ts";
import { contentIdOf, keccak256 } from "../../orchestrator/primitives/hash.ts";
import { CALLS } from "../../orchestrator/protocol/calls.ts";
import { type Database, openDatabase } from "../../orchestrator/records/database.ts";
import type { Sql } from "../../orchestrator/records/sql.ts";
import { mailboxOver } from "../seats/mailboxes.ts";
import { killedEverywhere } from "../support/dying-sql.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const secretOf = (name: string) => keccak256(new TextEncoder().encode(name));
const accountOf = (name: string) => privateKeyToAccount(secretOf(name));
const [agent, operator, adjudicator] = [accountOf("an agent"), accountOf("an operator"), accountOf("an adjudicator")];

describe("a gateway that is killed at each of its statements", function () {
  this.timeout(60_000);
  const directory = suiteDirectory();
  let database: Database;
  before(async () => {
    database = await openDatabase({ dir: directory() });
  });
  after(() => database.close());

  it("keeps the first answer of an agent, and asks nothing twice that was answered", async () => {
    const clock = { millis: () => 1_800_000_000_000, wait: () => new Promise<void>(() => {}) };
    const answered = new Map<string, string[]>();
    const receipts = new Map<string, string[]>();
    const commitment = (name: string, at: number) => secretOf(`${name} ${at}`);
    const request = (name: string) =>
      CALLS.pledge.request.parse({
        ...{ mission: operator.address, node: 1, attempt: 1, slot: 0, items: [] },
        obligation: secretOf(name),
        handed: secretOf("an output"),
      });

    /** A city's process that asks, and an agent that answers something else each time: only its first answer may count. */
    async function live(sql: Sql, name: string): Promise<void> {
      const mailbox = mailboxOver(sql, { city: operator.address, receiver: operator, clock });
      const asking = mailbox.ask({ name: "stranger", address: agent.address }, "pledge", request(name));
      let isOver = false;
      const over = () => {
        isOver = true;
      };
      asking.then(over, over);
      while (!isOver && mailbox.openTo(agent.address).length === 0) await new Promise(setImmediate);
      const [call] = mailbox.openTo(agent.address);
      if (call !== undefined) {
        const before = receipts.get(name) ?? [];
        const answer = { commitment: commitment(name, before.length) };
        const received = await mailbox.answer(agent.address, call.id, answer);
        receipts.set(name, [...before, received.answer]);
      }
      const { commitment: kept } = await asking;
      answered.set(name, [...(answered.get(name) ?? []), kept]);
    }
    const kills = await killedEverywhere(database, live, async (name) => {
      expect(new Set(answered.get(name)).size, name).to.equal(1);
      expect(new Set(receipts.get(name)).size, name).to.be.at.most(1);
    });
    expect(kills).to.be.at.least(4);
  });

  it("takes a signature once", async () => {
    const taken = new Map<string, number>();
    const kills = await killedEverywhere(
      database,
      async (sql, name) => {
        const by = { key: agent.address, nonce: `nonce-of-${name}-0123456789`, expires: 1_800_000_060 };
        try {
          await openNonces(sql).consume(by, 1_800_000_000);
          taken.set(name, (taken.get(name) ?? 0) + 1);
        } catch (error) {
          if (!(error instanceof AgentCityError)) throw error;
        }
      },
      async (name) => {
        expect(taken.get(name) ?? 0, name).to.be.at.most(1);
      },
    );
    expect(kills).to.be.at.least(2);
  });

  it("tells an adjudicator of every critical event, whenever it dies", async () => {
    const events = [3, 5, 8].map((sequence) => criticalAt(sequence));
    const told = new Map<string, number[]>();
    let now = 1_800_000_000_000;
    const kills = await killedEverywhere(
      database,
      async (sql, name) => {
        let head = 1;
        const webhooks = new Webhooks({
          ...{ sql, operator, chainId: 31337, isSeated: async () => true, millis: () => now },
          render: async (event) => z.json().parse(event),
          hub: {
            cursor: () => ({ block: 0, record: 0, sequence: head, hash: secretOf("head") }),
            async query({ eventType, cursor = "s0" }) {
              const after = Number(cursor.slice(1));
              return { events: events.filter((each) => each.eventType === eventType && each.sequence > after).slice(0, 1), next: null };
            },
          },
          async push(url, { body }) {
            const said = JSON.parse(new TextDecoder().decode(body));
            if ("challenge" in said)
              return {
                status: 200,
                text: await adjudicator.signMessage({ message: challengeText(31337, adjudicator.address, said.challenge) }),
              };
            const hook = url.pathname.slice(1);
            told.set(hook, [...(told.get(hook) ?? []), said.sequence]);
            return { status: 204, text: "" };
          },
        });
        const there = await webhooks.of(adjudicator.address);
        if (there?.url !== `https://adjudicator.example/${name}`)
          await webhooks.add(adjudicator.address, `https://adjudicator.example/${name}`);
        head = 9;
        for (let at = 0; at < 5; at += 1) {
          now += 2_000;
          await webhooks.step();
        }
      },
      async (name) => {
        const heard = told.get(name) ?? [];
        // At least once and in order; what was taken just before a kill may come again.
        expect([...new Set(heard)], name).to.deep.equal([3, 5, 8]);
        expect(heard.length, name).to.be.at.most(4);
        await database.query("DELETE FROM gateway_webhooks");
      },
    );
    expect(kills).to.be.at.least(10);
  });
});

function criticalAt(sequence: number): StreamEvent {
  const bytes = new TextEncoder().encode(String(sequence));
  const hash = secretOf(String(sequence));
  return {
    ...{ eventId: hash, missionId: hash, epoch: 0, eventType: "STAKE_SLASHED", emitterContract: `0x${"00".repeat(20)}` },
    ...{ primaryEntity: null, secondaryEntity: null, nodeId: null, payloadHash: hash, payloadCid: contentIdOf(bytes) },
    ...{ blockNumber: 1, timestamp: 1, gasUsed: 0, name: "Test.Slashed", blockHash: null, transactionHash: null, logIndex: null },
    ...{ record: null, corrects: null, sequence, prev: hash, hash, salt: hash, payloadSeal: hash, isFinal: true, isCorrected: false },
  };
}
