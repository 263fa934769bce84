// @long
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { zeroHash } from "viem";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import { auditDocuments } from "../../orchestrator/city/audit/audit-documents.ts";
import { AuditFailed } from "../../orchestrator/city/audit/audit-failed.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { memberOf } from "../../orchestrator/city/founding/society.ts";
import { answerKey } from "../../orchestrator/city/world.ts";
import type { ExitRecord } from "../../orchestrator/clearing/exit.ts";
import { exitSchema } from "../../orchestrator/execution/exits.ts";
import { passportsSchema } from "../../orchestrator/execution/passports.ts";
import { workOutput } from "../../orchestrator/gateway/commands/work.ts";
import { type Gateway, serveGateway } from "../../orchestrator/gateway/serve.ts";
import { addressSchema } from "../../orchestrator/primitives/address.ts";
import { contentIdOf } from "../../orchestrator/primitives/hash.ts";
import { canonicalBytes, parseJson } from "../../orchestrator/primitives/json.ts";
import { balances, type Outcome } from "../../orchestrator/protocol/outcome.ts";
import { openBundle } from "../../orchestrator/records/bundle.ts";
import { type Files, forge, logOf, relink, textOf } from "../city/audit/forgery.ts";
import { serveOptions } from "../gateway/gateway-city.ts";
import { carryOutIn, openHome } from "../support/city-home.ts";
import { deadAtFirst } from "../support/dead-at-first.ts";
import { rejection } from "../support/rejection.ts";
import { CALM_ROWS, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

/** What silence costs, smallest unit (Table 19). */
const ABSENCE = "50000000";

describe("scenario: an executor that never answers", function () {
  this.timeout(240_000);
  const directory = suiteDirectory();
  let city: City;
  let outcome: Outcome;
  let gateway: Gateway | undefined;
  const silent = () => outcome.nodes.filter(({ attempts }) => attempts > 1);

  before(async () => {
    const home = join(directory(), "home");
    city = await openHome(home, "16");
    const { csv } = smallInputs(directory(), CALM_ROWS);
    outcome = await carryOutIn({ ...city, sandbox: deadAtFirst(city.sandbox) }, smallMission(csv), { id: "silent", home });
  });
  after(async () => {
    await gateway?.close();
    await city?.close();
  });

  it("loses its time, and 50 of its stake", () => {
    expect(silent()).to.have.length(1);
    const [node] = silent();
    const [absent] = node?.executors ?? [];
    expect(absent).to.deep.include({ result: "failed", slashed: ABSENCE, paid: "0" });
    expect(outcome.slashed).to.equal(ABSENCE);
  });

  it("is replaced by an agent of another principal, who is paid", () => {
    const [node] = silent();
    expect(node).to.deep.include({ state: "COMPLETED", attempts: 2 });
    const [absent, redone] = node?.executors ?? [];
    const principal = (name = "") => memberOf(city.society, "producer", name).principal;
    expect(principal(redone?.agent)).to.not.equal(principal(absent?.agent));
    expect(redone).to.deep.include({ result: "agreed", slashed: "0" });
    expect(BigInt(redone?.paid ?? "0") > 0n).to.equal(true);
  });

  it("does not stop the mission, nor a unit of its money", () => {
    expect(outcome.status).to.equal("completed");
    expect(outcome.nodes.every(({ state }) => state === "COMPLETED")).to.equal(true);
    expect(balances(outcome.money)).to.equal(true);
    expect(outcome.settlement.closed).to.equal(true);
  });

  it("leaves a bundle that an auditor accepts", async () => {
    expect((await auditBundle(outcome.bundle ?? "")).passed).to.equal(true);
  });

  const exitsIn = (files: Files) =>
    logOf(files).flatMap(({ kind, content }) =>
      kind === "execution.exit" && content !== null ? [exitSchema.parse(parseJson(textOf(files, `blocks/${content}`)))] : [],
    );
  const addressOf = (name = "") => memberOf(city.society, "producer", name).account.address;

  it("leaves a record of its end, which says what it lost, and a failure in its passport", async () => {
    const [node] = silent();
    const [absent, redone] = (node?.executors ?? []).map(({ agent }) => addressOf(agent));
    const exits = exitsIn(new Map(openBundle(outcome.bundle ?? "").files));
    expect(exits).to.have.length(1);
    const [faulted] = await city.client.mission(addressSchema.parse(outcome.mission)).history("ExecutorFaulted");
    expect(exits[0]?.exit).to.deep.include({
      ...{ exit: "EXPIRED", ended_by: { reason: "TIMEOUT", receipt: faulted?.transactionHash }, slashed: { [absent ?? ""]: 50_000_000 } },
      passport_delta: { [`${absent}.failed_obligations`]: 1 },
    });
    expect(exits[0]?.exit.collateral_action).to.deep.include({ type: "slash", amount: 50_000_000 });
    const posted = await city.answers.recall(answerKey(["passports", outcome.mission ?? "", zeroHash]), passportsSchema);
    const fieldsOf = (agent = "") => posted?.changed.find(({ after }) => after.subject === agent)?.after.fields;
    expect(fieldsOf(absent)?.["failed_obligations"]).to.equal(1);
    expect(fieldsOf(redone)?.["cleared_obligations"]).to.be.at.least(1);
  });

  it("is found out by an auditor where the record is missing, or blames nobody", async () => {
    const whole = (dir: string) =>
      new Map([["manifest.json", new Uint8Array(readFileSync(join(dir, "manifest.json")))], ...openBundle(dir).files]);
    const told = (checks: readonly { readonly findings: readonly { readonly check: string; readonly subject: string }[] }[]) =>
      checks.flatMap(({ findings }) => findings.map(({ check, subject }) => `${check} ${subject}`));
    const audited = async (dir: string) => {
      const error = await rejection(auditBundle(dir));
      if (!(error instanceof AuditFailed)) throw error;
      return told(error.report.checks);
    };
    const missing = forge(outcome.bundle ?? "", join(directory(), "no-exit"), (all) =>
      relink(
        all,
        logOf(all).filter(({ kind }) => kind !== "execution.exit"),
      ),
    );
    expect((await audited(missing)).filter((line) => line.includes("a record of an end without finality"))).to.have.length(1);
    const spared = forge(outcome.bundle ?? "", join(directory(), "spared"), (all) => {
      const entries = logOf(all).map((entry) => {
        if (entry.kind !== "execution.exit" || entry.content === null) return entry;
        const { exit, ...rest } = exitSchema.parse(parseJson(textOf(all, `blocks/${entry.content}`)));
        const { slashed: _, ...kept } = exit;
        const delta = Object.fromEntries(Object.keys(exit.passport_delta).map((key) => [key.replace("failed", "released"), 1]));
        const bytes = canonicalBytes({ ...rest, exit: { ...kept, passport_delta: delta } satisfies ExitRecord });
        const content = contentIdOf(bytes);
        all.set(`blocks/${content}`, bytes);
        return { ...entry, content };
      });
      relink(all, entries);
    });
    expect((await audited(spared)).some((line) => line.startsWith("SETTLEMENTS") && line.includes("its end against the chain's"))).to.equal(
      true,
    );
    const alone = told((await auditDocuments(whole(spared))).checks);
    expect(alone.some((line) => line.startsWith("SETTLEMENTS") && line.includes("its end"))).to.equal(true);
    expect(told((await auditDocuments(whole(outcome.bundle ?? ""))).checks)).to.deep.equal([]);
  });

  it("and who replaced it find in the gateway what became of their award", async () => {
    gateway = await serveGateway(city, serveOptions);
    const [node] = silent();
    const fates = await Promise.all(
      (node?.executors ?? []).map(async ({ agent, attempt }) => {
        const answer = await fetch(`${gateway?.url}/v1/agents/${addressOf(agent)}/work`);
        const { slots } = workOutput.parse(await answer.json());
        const number = outcome.nodes.findIndex(({ label }) => label === node?.label);
        const own = slots.find((slot) => slot.node === number && slot.attempt === attempt - 1);
        return [own?.result, own?.isClaimed];
      }),
    );
    expect(fates).to.deep.equal([
      ["failed", false],
      ["agreed", true],
    ]);
  });
});
