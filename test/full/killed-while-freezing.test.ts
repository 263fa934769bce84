import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { collaborationContractAbi } from "../../orchestrator/chain/abi/CollaborationContract.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { haltSchema } from "../../orchestrator/execution/guardian/freeze-mirror.ts";
import { keccak256, parseContentId } from "../../orchestrator/primitives/hash.ts";
import type { Address } from "../../orchestrator/primitives/hex.ts";
import { parseJsonBytes } from "../../orchestrator/primitives/json.ts";
import { balances, type Outcome } from "../../orchestrator/protocol/outcome.ts";
import { CHATTY } from "../support/chatty.ts";
import { missionsOf, openHome } from "../support/city-home.ts";
import { outcomeIn, runCli } from "../support/cli.ts";
import { expectPaperInvariants } from "../support/paper-invariants.ts";
import { smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

/** What may happen to a node on its way, of the names that matter here. */
const NAMES = ["Routed", "AnomalyReported", "NodeFrozen", "SnapshotSealed"];

/** In hybrid mode nothing routes the node before the Guardian stops it. */
const MODES = [
  { mode: "onchain", before: ["Routed"], end: "failed" },
  // A mission that no checkpoint reached was never under way on chain.
  { mode: "hybrid", before: [], end: "aborted" },
] as const;

for (const way of MODES) describeKillsWhileFreezing(way);

/** The orchestrator dies between what it knows and what the chain knows of a freeze, twice; the next one must know both. */
function describeKillsWhileFreezing({ mode, before: begun, end }: (typeof MODES)[number]): void {
  describe(`fault: the orchestrator is killed while it freezes a node, mode ${mode}`, function () {
    this.timeout(400_000);
    const directory = suiteDirectory();
    const seen: (readonly string[])[] = [];
    let city: City;
    let outcome: Outcome;

    before(async () => {
      const home = join(directory(), "home");
      const services = join(directory(), "services");
      mkdirSync(services);
      writeFileSync(join(services, "chatty.js"), CHATTY);
      const { files } = smallInputs(directory());
      const file = join(directory(), "mission.yaml");
      const tasks = { talk: { service: "chatty", over: "input", tier: 1 }, report: { service: "aggregate", after: ["talk"], tier: 1 } };
      writeFileSync(file, smallMission(files, { input: { kind: "files", path: files }, services, tasks }));
      const args = ["mission", file, "--seed", "21", "--mode", mode, "--json"];
      for (const boundary of ["execution:halted", "execution:frozen"]) {
        const killed = await runCli(args, { home, stopAt: boundary });
        expect(killed, killed.stderr).to.include({ signal: "SIGKILL", stoppedAt: boundary });
        city = await openHome(home, "21");
        seen.push(await namesOf());
        await city.close();
      }
      outcome = outcomeIn(await runCli(args, { home }));
      city = await openHome(home, "21");
      await expectPaperInvariants(city, outcome);
    });
    after(() => city?.close());

    /** What happened to the mission's nodes, in order, of the names that matter here. */
    async function namesOf(): Promise<readonly string[]> {
      const [mission] = await missionsOf(city);
      const events = await city.chain.publicClient.getContractEvents({ address: mission!, abi: collaborationContractAbi, fromBlock: 0n });
      return events.map(({ eventName }) => eventName).filter((name) => NAMES.includes(name));
    }

    it("had told the chain nothing when it first died, and sealed nothing when it died again", () => {
      expect(seen).to.deep.equal([begun, [...begun, "AnomalyReported", "NodeFrozen"]]);
    });

    it("finishes the freeze before anything else: one report, one seal, then the next attempt", async () => {
      const once = [...begun, "AnomalyReported", "NodeFrozen", "SnapshotSealed"];
      expect(await namesOf()).to.deep.equal(Array.from({ length: outcome.nodes[0]?.attempts ?? 0 }, () => once).flat());
    });

    it("has every sealed snapshot in its records", async () => {
      const sealed = await city.client.mission(outcome.mission as Address).history("SnapshotSealed");
      const entries = await city.log.read({ kind: "execution.halt", subject: outcome.mission as Address });
      const halts = entries.map(({ content }) => haltSchema.parse(parseJsonBytes(city.blocks.get(content!))));
      expect(halts).to.have.length(outcome.nodes[0]!.attempts);
      expect(sealed.map(({ args }) => args.hash)).to.deep.equal(halts.map(({ snapshotHash }) => snapshotHash));
      for (const { snapshot, snapshotHash, reason } of halts) {
        expect(keccak256(city.blocks.get(parseContentId(snapshot)))).to.equal(snapshotHash);
        expect(reason).to.equal("MESSAGE_LIMIT");
      }
    });

    it("ends the mission, with every unit accounted for", () => {
      expect(outcome.status).to.equal(end);
      expect(outcome.nodes.map(({ state }) => state)).to.deep.equal(["FAILED", "WAITING"]);
      expect(balances(outcome.money)).to.equal(true);
      expect(outcome.settlement.closed).to.equal(true);
    });
  });
}
