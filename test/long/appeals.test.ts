import { join } from "node:path";
import { expect } from "chai";
import { zeroHash } from "viem";
import type { Judge } from "../../orchestrator/adjudication/case.ts";
import type { AppealCase, AppealJudge } from "../../orchestrator/adjudication/rule-on-appeal.ts";
import { simulatedJudge } from "../../orchestrator/adjudication/simulated-judge.ts";
import { DEVNET_CHAIN_ID } from "../../orchestrator/chain/devnet.ts";
import { intentKey } from "../../orchestrator/chain/outbox.ts";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { type Member, memberOf, membersOf } from "../../orchestrator/city/founding/society.ts";
import { answerKey } from "../../orchestrator/city/world.ts";
import { passportsSchema } from "../../orchestrator/execution/passports.ts";
import { digestOf } from "../../orchestrator/primitives/hash.ts";
import type { Address } from "../../orchestrator/primitives/hex.ts";
import { balances, type Outcome } from "../../orchestrator/protocol/outcome.ts";
import { carryOutIn, missionsOf, openHome, purseOf } from "../support/city-home.ts";
import { CALM_ROWS, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const EVIDENCE = "Half of the rows are missing.";
/** Of everything, what an upheld appeal leaves of the share. */
const HALF = 0.5;

interface Appealed {
  readonly mission: Address;
  readonly executor: Member;
  readonly price: bigint;
  readonly bond: bigint;
}

/** Sponsor against a clearing, while its window is open; one human decides. */
describe("scenario: an appeal", function () {
  this.timeout(240_000);
  const directory = suiteDirectory();

  for (const ruling of ["upheld", "rejected"] as const) {
    describe(ruling, () => {
      let city: City;
      let outcome: Outcome;
      let appealed: Appealed | undefined;
      let insuranceBefore: bigint;
      let purseBefore: bigint;
      const sponsor = () => memberOf(city.society, "sponsor");
      const first = () => outcome.nodes[0] as Outcome["nodes"][number];
      const eventsOf = <Name extends "Recorded" | "Reassessed" | "BondReturned" | "BondForfeited" | "AppealResolved">(eventName: Name) =>
        city.client.mission(outcome.mission as Address).history(eventName);

      let heard: AppealCase | undefined;
      /** Once the first node is recorded: the sponsor's appeal. */
      const appealFirst = async (): Promise<void> => {
        if (appealed !== undefined) return;
        const [mission] = await missionsOf(city);
        if (mission === undefined) return;
        const contract = city.client.mission(mission);
        if (!(await contract.nodeOf(0)).recorded) return;
        const { agent, price } = await contract.slotOf(0, 0);
        const executor = membersOf(city.society, "producer").find(({ account }) => account.address === agent) as Member;
        const { account } = sponsor();
        await city.client.token.approve([mission, price], { intent: intentKey("test", "bond"), account });
        const evidence = city.blocks.put(new TextEncoder().encode(EVIDENCE));
        const auth = { agent: account.address, deadline: 2 ** 40 - 1, signature: "0x" } as const;
        const receipt = await contract.appeal([0, 0, digestOf(evidence), auth], { intent: intentKey("test", "appeal"), account });
        const [filed] = receipt === undefined ? [] : contract.events(receipt, "AppealFiled");
        appealed = { mission, executor, price, bond: filed?.args.bond ?? 0n };
      };

      /** The simulation lets good work stand; half is what a person finds. */
      const judge: Judge & AppealJudge = {
        ...simulatedJudge(DEVNET_CHAIN_ID),
        async decideAppeal(subject) {
          heard = subject;
          if (ruling === "rejected") return simulatedJudge(DEVNET_CHAIN_ID).decideAppeal(subject);
          return { upheld: [0], share: HALF, slash: 0n, culprits: [], justification: "Half was missing." };
        },
      };

      before(async () => {
        const home = join(directory(), ruling);
        city = await openHome(home, "14", { boundary: async (name) => (name === "execution:committed" ? appealFirst() : undefined) });
        insuranceBefore = await city.client.treasury.insuranceBalance();
        purseBefore = await purseOf(city);
        const { csv } = smallInputs(directory(), CALM_ROWS);
        outcome = await carryOutIn(city, smallMission(csv, { risk: "MEDIUM" }), { id: ruling, home, judge });
      });
      after(() => city?.close());

      it("comes before a human with what the appellant says, what the mesh found, and the work, from the records", async () => {
        const { label, attempt, appeals, quality, excerpt } = heard ?? expect.fail("nobody heard it");
        expect([label, attempt]).to.deep.equal([first().label, 0]);
        expect(appeals).to.deep.equal([{ appellant: sponsor().name, bond: appealed?.bond, evidence: EVIDENCE }]);
        expect(quality).to.be.above(0.6);
        expect(JSON.parse(excerpt)).to.have.property("items");
        const [decided] = outcome.human.filter(({ action }) => action === "decided an appeal");
        expect(decided?.simulated).to.equal(ruling === "rejected");
      });

      it("is decided when the mission's work is done, before anything is final", async () => {
        expect(outcome.status).to.equal("completed");
        expect((await eventsOf("AppealResolved")).map(({ args }) => [args.node, args.upheld])).to.deep.equal([
          [0, ruling === "upheld" ? 1 : 0],
        ]);
        expect(outcome.nodes.every(({ state }) => state === "COMPLETED")).to.equal(true);
      });

      it(ruling === "upheld" ? "gives the bond back" : "costs the bond, which is insurance's", async () => {
        const [kept, other] =
          ruling === "upheld" ? (["BondReturned", "BondForfeited"] as const) : (["BondForfeited", "BondReturned"] as const);
        expect((await eventsOf(kept)).map(({ args }) => [args.appellant, args.bond])).to.deep.equal([
          [sponsor().account.address, appealed?.bond],
        ]);
        expect(await eventsOf(other)).to.deep.equal([]);
        expect(BigInt(appealed?.bond ?? 0n) > 0n).to.equal(true);
        const gained = (await city.client.treasury.insuranceBalance()) - insuranceBefore;
        expect(gained).to.equal(BigInt(outcome.money.insurance) + (ruling === "upheld" ? 0n : (appealed?.bond ?? 0n)));
        const spent = BigInt(outcome.money.deposit) - BigInt(outcome.money.refunded) + (ruling === "upheld" ? 0n : (appealed?.bond ?? 0n));
        expect(purseBefore - (await purseOf(city))).to.equal(spent);
      });

      it(ruling === "upheld" ? "moves half of the pay back to the sponsor" : "moves no pay", async () => {
        const [recorded] = (await eventsOf("Recorded")).filter(({ args }) => args.node === 0);
        const reassessed = await eventsOf("Reassessed");
        const before = recorded?.args.paid ?? 0n;
        const now = BigInt(first().executors[0]?.paid ?? "0");
        expect(first().executors[0]?.agent).to.equal(appealed?.executor.name);
        if (ruling === "rejected") {
          expect(reassessed).to.deep.equal([]);
          expect(now).to.equal(before);
        } else {
          expect(reassessed.map(({ args }) => args.paid)).to.deep.equal([now]);
          expect(now).to.equal(before / 2n);
        }
      });

      it(ruling === "upheld" ? "is a dispute lost in the executor's passport" : "leaves the executor's passport alone", async () => {
        const posted = await city.answers.recall(answerKey(["passports", outcome.mission ?? "", zeroHash]), passportsSchema);
        const own = posted?.changed.find(({ after }) => after.subject === appealed?.executor.account.address)?.after;
        expect(own?.fields["upheld_disputes"]).to.equal(ruling === "upheld" ? 1 : undefined);
      });

      it("leaves every unit of the deposit accounted for, and a bundle that an auditor accepts", async () => {
        expect(balances(outcome.money)).to.equal(true);
        expect(await city.client.token.balanceOf(outcome.mission as Address)).to.equal(0n);
        expect((await auditBundle(outcome.bundle ?? "")).passed).to.equal(true);
      });
    });
  }
});
