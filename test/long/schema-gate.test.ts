import { join } from "node:path";
import { expect } from "chai";
import { z } from "zod";
import type { Case } from "../../orchestrator/adjudication/case.ts";
import { intentKey } from "../../orchestrator/chain/outbox.ts";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import { openContext } from "../../orchestrator/city/audit/context.ts";
import { inspect } from "../../orchestrator/city/audit/inspection.ts";
import { results } from "../../orchestrator/city/audit/results.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { openingOf, saltOf, signedItemSchema } from "../../orchestrator/execution/evidence.ts";
import { unsealWork } from "../../orchestrator/execution/sealed-work.ts";
import { outputHashOf, sealedSchema } from "../../orchestrator/execution/work.ts";
import { addressSchema } from "../../orchestrator/primitives/address.ts";
import { parseContentId } from "../../orchestrator/primitives/hash.ts";
import type { Address } from "../../orchestrator/primitives/hex.ts";
import { isObject, parseJsonBytes } from "../../orchestrator/primitives/json.ts";
import { NAMED_GATES } from "../../orchestrator/protocol/gates.ts";
import { balances, type Outcome } from "../../orchestrator/protocol/outcome.ts";
import { openBundle } from "../../orchestrator/records/bundle.ts";
import type { Tamper } from "../../orchestrator/seats/local.ts";
import { carryOutIn, openHome } from "../support/city-home.ts";
import { OVERRIDE, runCli } from "../support/cli.ts";
import { rejection } from "../support/rejection.ts";
import { CALM_ROWS, readAndEstimate, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const GATE = "keeps-schema";
/** `NodeState.EXECUTING`, and every slot of three. */
const EXECUTING = 2;
const ALL = 0b111;
/** Three executors agree on every value, and hand it in as text. Their city does not open that: they do it themselves. */
const misshapen: Tamper = ({ label, attempt }, output) => {
  const items = Array.isArray(output["items"]) ? output["items"].filter(isObject) : [];
  if (!label.startsWith("estimate") || attempt !== 0) return output;
  return { ...output, items: items.map((item) => ({ ...item, value: `${String(item["value"])} days` })) };
};

describe("scenario: outputs that must keep their schema", function () {
  this.timeout(400_000);
  const directory = suiteDirectory();
  const cases: Case[] = [];
  let city: City;
  let honest: Outcome;
  let broken: Outcome;
  let isLying = false;
  const text = () => {
    const { read, estimate } = readAndEstimate(0.5);
    return smallMission(smallInputs(directory(), CALM_ROWS).csv, {
      tasks: {
        read: { ...read, gate: GATE },
        estimate: { ...estimate, floor: "REC", gate: GATE },
        report: { service: "aggregate", after: ["estimate"], tier: 1 },
      },
      output: { task: "report", format: "markdown", gate: GATE },
    });
  };
  const stated = async (outcome: Outcome) => {
    const gate = city.client.schemaGate(await city.client.execution.predicateOf(NAMED_GATES[GATE].number));
    return (await gate.history("SchemaKept", { mission: outcome.mission as Address })).map(({ args }) => args);
  };

  /** What every executor of a compared output committed in its first attempt, opened on chain. */
  async function openThemselves(): Promise<void> {
    for (const { subjects, content } of await city.log.read({ kind: "execution.sealed" })) {
      const [mission = "", node, attempt, slot] = [subjects[0], ...subjects.slice(1).map(Number)] as const;
      const contract = city.client.mission(addressSchema.parse(mission));
      if (node === undefined || slot === undefined || attempt !== 0 || content === null) continue;
      const { state, attempt: current, commitMask, revealMask } = await contract.nodeOf(node);
      if (state !== EXECUTING || current !== 0 || commitMask !== ALL || ((revealMask >> slot) & 1) === 1) continue;
      const issued = await city.log.read({ kind: "execution.evidence", subject: mission });
      const evidence = issued.find((each) => each.subjects.join() === subjects.join());
      const items = z.array(signedItemSchema).parse(parseJsonBytes(city.blocks.get(parseContentId(evidence?.content ?? ""))));
      const { sealedId } = sealedSchema.parse(parseJsonBytes(city.blocks.get(content)));
      const [{ agent }, obligation] = await Promise.all([contract.slotOf(node, slot), contract.obligationOf(node)]);
      const salt = saltOf(city.seed, agent, obligation);
      const work = unsealWork(city.blocks.get(parseContentId(sealedId)), { salt, obligation, slot });
      if (work === undefined) continue;
      const opening = openingOf({ obligation, items, outputHash: outputHashOf(work.output), trail: work.trail }, salt);
      await contract.reveal([node, slot, opening], { intent: intentKey("by themselves", mission, node, slot) });
    }
  }

  before(async () => {
    const home = join(directory(), "home");
    city = await openHome(home, "31", {
      boundary: async (name) => (name === "execution:committed" && isLying ? openThemselves() : undefined),
    });
    const unapproved = await rejection(carryOutIn(city, text(), { id: "early", home }));
    const [, contract = ""] = /npm run override -- predicate 2 (0x[0-9a-fA-F]{40}) --as adjudicator-1/.exec(unapproved.message) ?? [];
    const args = ["predicate", "2", contract, "--as", "adjudicator-1", "--because", "Read line by line."];
    const run = await runCli(args, { home, program: OVERRIDE });
    expect(run.code, run.stderr).to.equal(0);
    honest = await carryOutIn(city, text(), { id: "kept", home });
    isLying = true;
    broken = await carryOutIn(city, text(), {
      id: "broken",
      home,
      tamper: misshapen,
      judge: {
        simulated: false,
        decide: async (subject) => {
          cases.push(subject);
          return { ruling: "reject", justification: "It is not what the schema asks for." };
        },
      },
    });
  });
  after(() => city?.close());

  it("pass their gate on an issuer's word, one for each node that the law gates, and the last for the mission's output", async () => {
    expect(honest).to.deep.include({ status: "completed", released: true, slashed: "0" });
    expect((await stated(honest)).map(({ node }) => node).toSorted((a, b) => a - b)).to.deep.equal(honest.nodes.map((_, node) => node));
    const issuers = new Set((await stated(honest)).map(({ issuer }) => issuer));
    for (const issuer of issuers) expect((await city.client.evidence.issuerOf(issuer))[0]).to.be.greaterThan(0);
    expect(honest.human).to.deep.equal([]);
  });

  it("go to a human where they break it, though the panel agreed, and nothing is paid for them", async () => {
    const nodes = broken.nodes.flatMap(({ label }, node) => (label.startsWith("estimate") ? [node] : []));
    expect(cases.map(({ label, reason }) => [label.split("-")[0], reason])).to.deep.equal(nodes.map(() => ["estimate", "vetoed"]));
    const contract = city.client.mission(broken.mission as Address);
    const decided = await contract.history("GateDecided");
    expect(decided.filter(({ args }) => !args.allowed).map(({ args }) => args.node)).to.have.members(nodes);
    for (const node of nodes) {
      expect(await contract.history("Recorded", { node })).to.deep.equal([]);
      expect(broken.nodes[node]?.executors.map(({ paid }) => paid)).to.deep.equal(["0", "0", "0"]);
    }
    // Nobody of three other principals is left to try again.
    expect(broken).to.deep.include({ status: "failed", released: false });
    expect(balances(broken.money)).to.equal(true);
  });

  it("are measured again by the audit, which refuses a mission whose issuer stated what is not so", async () => {
    expect((await auditBundle(broken.bundle ?? "")).passed).to.equal(true);
    const context = await openContext(openBundle(honest.bundle ?? ""));
    try {
      const block: typeof context.block = (id) => {
        const value = context.block(id);
        return isObject(value) && Array.isArray(value["items"]) && !("goal" in value) ? { ...value, items: [{ id: 7 }] } : value;
      };
      const { findings } = await inspect(results, [{ ...context, block }]);
      const about = findings.filter(({ subject }) => subject.startsWith("schema of the output"));
      expect(about.map(({ problem }) => problem.split(":")[0])).to.deep.equal(honest.nodes.map(() => "was stated to be kept, and is not"));
    } finally {
      await context.chain.close();
    }
  });
});
