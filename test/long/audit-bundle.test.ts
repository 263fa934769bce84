import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, sep } from "node:path";
import { expect } from "chai";
import { toFunctionSelector } from "viem";
import { legislativeProcedureAbi } from "../../orchestrator/chain/abi/LegislativeProcedure.ts";
import { isTooHeavy } from "../../orchestrator/chain/errors.ts";
import { replayLimits } from "../../orchestrator/chain/replay-limits.ts";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import { auditDocuments } from "../../orchestrator/city/audit/audit-documents.ts";
import { AuditFailed, AuditTooHeavy } from "../../orchestrator/city/audit/audit-failed.ts";
import { checks } from "../../orchestrator/city/audit/checks.ts";
import { type AuditContext, openContext } from "../../orchestrator/city/audit/context.ts";
import { inspect } from "../../orchestrator/city/audit/inspection.ts";
import { renderAudit } from "../../orchestrator/city/audit/render.ts";
import type { Hash } from "../../orchestrator/primitives/hex.ts";
import { isObject, type JsonObject, parseJson } from "../../orchestrator/primitives/json.ts";
import { randomStream } from "../../orchestrator/primitives/random.ts";
import { field, listOf } from "../../orchestrator/primitives/values.ts";
import { type AuditFinding, auditReportSchema, NOBODY_ELSEWHERE } from "../../orchestrator/protocol/audit-report.ts";
import { type Outcome, outcomeSchema } from "../../orchestrator/protocol/outcome.ts";
import { openBundle } from "../../orchestrator/records/bundle.ts";
import { edit, type Files, forge, logOf, relink, rewriteRecord, textOf } from "../city/audit/forgery.ts";
import { flipped, LIES, lying, more, replaced } from "../city/audit/lies.ts";
import { type FinishedMission, runSmallMission, SMALL_MISSION } from "../support/mission-bundle.ts";
import { rejection } from "../support/rejection.ts";

/** The same with one value changed, somewhere. */
function alteredSomewhere(value: object, random: ReturnType<typeof randomStream>): unknown {
  const copy: unknown = structuredClone(value);
  const leaves: { readonly holder: Record<string, unknown>; readonly key: string }[] = [];
  const walk = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    const holder = node as Record<string, unknown>;
    for (const key of Object.keys(holder)) {
      if (typeof holder[key] === "object" && holder[key] !== null) walk(holder[key]);
      else leaves.push({ holder, key });
    }
  };
  walk(copy);
  const { holder, key } = random.pick(leaves);
  const before = holder[key];
  if (typeof before === "number") holder[key] = before + 1;
  else if (typeof before === "boolean") holder[key] = !before;
  else if (typeof before === "string") holder[key] = before.endsWith("1") ? `${before.slice(0, -1)}2` : `${before.slice(0, -1)}1`;
  else holder[key] = "something";
  return copy;
}

describe("audit of a mission's bundle", function () {
  this.timeout(240_000);
  let root: string;
  let mission: FinishedMission;

  before(async () => {
    root = mkdtempSync(join(tmpdir(), "agentcity-audit-"));
    mission = await runSmallMission(join(root, "city"));
  });
  after(() => rmSync(root, { recursive: true, force: true }));

  /** What an audit says against a bundle. */
  async function findings(dir: string): Promise<readonly AuditFinding[]> {
    const error = await rejection(auditBundle(dir));
    if (!(error instanceof AuditFailed)) throw error;
    expect(error.report.passed).to.equal(false);
    auditReportSchema.parse(error.report);
    const all = error.report.checks.flatMap((check) => check.findings);
    expect(all).to.not.have.length(0);
    for (const { file } of all) expect(error.message).to.include(file);
    return all;
  }

  function forged(change: (files: Files) => void): Promise<readonly AuditFinding[]> {
    return findings(forge(mission.bundle, join(root, "forged", "0x"), change));
  }

  it("stops, and says what to do, when replaying takes more than it may", async () => {
    const gas = await rejection(auditBundle(mission.bundle, { effort: 0.001 }));
    expect(gas).to.be.instanceOf(AuditTooHeavy);
    expect(gas.message).to.contain("20,000,000 gas in all (it asks for ").and.to.contain("--effort 4").and.to.contain("100 events");
    const usual = replayLimits();
    const few = { ...usual, events: { ...usual.events, logs: 100 } };
    const events = await rejection(openContext(openBundle(mission.bundle), few));
    expect(isTooHeavy(events)).to.equal(true);
    expect(events.message).to.contain("more than 100 events");
  });

  it("passes what the city wrote, check by check, and the same every time", async () => {
    const { finalBlock, ballots } = mission.outcome;
    const report = await auditBundle(mission.bundle);
    expect(auditReportSchema.parse(report)).to.deep.equal(report);
    expect(report).to.include({ passed: true, name: mission.outcome.name, mission: mission.outcome.mission });
    expect(report.head).to.deep.equal(finalBlock);
    expect(report.checks.map(({ name }) => name)).to.deep.equal(["FILES", "CHAIN", ...checks.map(({ name }) => name)]);
    // Nobody elsewhere was asked anything.
    for (const { name, verified } of report.checks) expect(verified === 0, name).to.equal(name === "CALLS");
    expect(report.elsewhere).to.deep.equal(NOBODY_ELSEWHERE);
    expect(report.checks.find(({ name }) => name === "BALLOTS")?.verified).to.be.at.least(ballots.length);
    expect(renderAudit(report))
      .to.match(/^ROOTS +\d+ ✓/m)
      .and.match(/^PASSED: [\d,]+ checks$/m);
    expect(await auditBundle(mission.bundle, { head: finalBlock.hash as Hash })).to.deep.equal(report);
  });

  it("refuses a chain that ends elsewhere than another witness says", async () => {
    const error = await rejection(auditBundle(mission.bundle, { head: `0x${"1".repeat(64)}` }));
    if (!(error instanceof AuditFailed)) throw error;
    const [finding, ...more] = error.report.checks.flatMap((check) => check.findings);
    expect(finding).to.include({ check: "CHAIN", file: "chain.ndjson", subject: "last block against the witness's" });
    expect(more).to.deep.equal([]);
    expect(renderAudit(error.report))
      .to.match(/^CHAIN +\d+ ✗/m)
      .and.match(/^FAILED: 1 of/m);
  });

  it("names the file in which one byte was flipped, whichever it is", async () => {
    const files = [...openBundle(mission.bundle).files.keys()];
    const random = randomStream(7, "flipped bytes");
    const blocks = random.shuffle(files.filter((file) => file.startsWith("blocks/"))).slice(0, 4);
    for (const file of ["manifest.json", ...files.filter((each) => !each.startsWith("blocks/")), ...blocks]) {
      const dir = join(root, "flipped");
      rmSync(dir, { recursive: true, force: true });
      cpSync(mission.bundle, dir, { recursive: true });
      const bytes = readFileSync(join(dir, file));
      const at = random.int(bytes.length);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random.int(8));
      writeFileSync(join(dir, file), bytes);
      const found = (await findings(dir)).map((each) => each.file);
      expect(found, `byte ${at} of ${file}`).to.deep.equal([file]);
    }
  });

  it("names a file that is missing", async () => {
    const dir = join(root, "missing");
    cpSync(mission.bundle, dir, { recursive: true });
    rmSync(join(dir, "input.json"));
    expect((await findings(dir))[0]).to.include({ check: "FILES", file: "input.json" });
  });

  describe("of a consistent forgery", () => {
    it("finds a changed record at the chain's root", async () => {
      const found = await forged((files) => rewriteRecord(files, "execution.work", (work) => ({ ...work, tools: 99 })));
      expect(placesOf(found)).to.deep.include(["ROOTS", "log.ndjson", "head of the log against the chain's root"]);
    });

    it("finds by replay whatever the documents alone show, in thirty forged bundles, and more", async () => {
      const random = randomStream(7, "forged documents");
      const whole = openBundle(mission.bundle).files;
      const objects = [...whole.keys()].filter((name) => name.endsWith(".json") && isObject(parseJson(textOf(new Map(whole), name))));
      const kinds = [...new Set(logOf(new Map(whole)).map(({ kind, content }) => (content === null ? "" : kind)))].filter((kind) => {
        const content = logOf(new Map(whole)).find((entry) => entry.kind === kind)?.content;
        return content != null && isObject(parseJson(textOf(new Map(whole), `blocks/${content}`)));
      });
      const seen = { both: 0, replayAlone: 0 };
      for (let forgery = 0; forgery < 30; forgery += 1) {
        const isRecord = random.int(3) > 0;
        const name = random.pick(isRecord ? kinds : objects);
        const dir = join(root, "thirty", String(forgery));
        const change = (value: object) => alteredSomewhere(value, random);
        forge(mission.bundle, dir, (files) => (isRecord ? rewriteRecord(files, name, change) : edit(files, name, change)));
        const files = new Map(
          readdirSync(dir, { recursive: true, withFileTypes: true })
            .filter((entry) => entry.isFile())
            .map((entry) => {
              const path = join(entry.parentPath, entry.name);
              return [relative(dir, path).replaceAll(sep, "/"), readFileSync(path)] as const;
            }),
        );
        const alone = await auditDocuments(files);
        const error = await rejection(auditBundle(dir));
        expect(error, `${name}: a changed bundle never passes`).to.be.instanceOf(AuditFailed);
        seen[alone.passed ? "replayAlone" : "both"] += 1;
      }
      expect(seen.both).to.be.above(5);
      expect(seen.replayAlone, "what only a replay can tell").to.be.above(0);
    });

    it("finds a log cut short, a missing block, and files that hang on nothing", async () => {
      const stray = "blocks/bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku";
      let missing = "";
      const found = await forged((files) => {
        const entries = logOf(files);
        missing = `blocks/${entries.find(({ kind }) => kind === "execution.evidence")?.content}`;
        files.delete(missing);
        files.set("notes.txt", "hello");
        files.set(stray, "");
        relink(files, entries.slice(0, -1));
      });
      const places = placesOf(found);
      expect(places).to.deep.include(["ROOTS", "log.ndjson", "head of the log against the chain's root"]);
      expect(places).to.deep.include(["ROOTS", "log.ndjson", "closing entry"]);
      expect(found.map(({ file }) => file)).to.include.members([missing, "notes.txt", stray]);
    });

    it("finds money, mission file, input, report and seed that are not the chain's, each in its file", async () => {
      const { money } = mission.outcome;
      const [paid, refunded] = [String(BigInt(money.paid) + 1n), String(BigInt(money.refunded) - 1n)];
      const found = await forged((files) => {
        edit(files, "outcome.json", (outcome) => ({ ...outcome, money: { ...money, paid, refunded } }));
        files.set("mission.yaml", SMALL_MISSION.replace("600.00", "601.00"));
        files.set("input.json", textOf(files, "input.json").replace("frame", "fraud"));
        files.set("report.md", `${textOf(files, "report.md")}\nAll is well.\n`);
        edit(files, "city.json", (city) => ({ ...city, seed: "8", name: "other" }));
      });
      const places = placesOf(found);
      expect(places).to.deep.include(["OUTCOME", "outcome.json", "money: paid"]);
      expect(places).to.deep.include(["OUTCOME", "outcome.json", "money: refunded"]);
      expect(places).to.deep.include(["ROOTS", "mission.yaml", "mission file against the closing entry"]);
      expect(places).to.deep.include(["LAW", "input.json", "digest of the input against the law's"]);
      expect(places).to.deep.include(["RESULTS", "report.md", "report written again from outcome and output"]);
      expect(places).to.deep.include(["ROOTS", "city.json", "facts of other against the closing entry"]);
      expect(places).to.deep.include(["LAW", "city.json", "mission's name"]);
    });

    it("finds a document that is another law", async () => {
      const found = await forged((files) => edit(files, "document.json", (law) => ({ ...law, duration: Number(law["duration"]) + 1 })));
      expect(placesOf(found)).to.deep.include(["LAW", "document.json", "law hash against the mission's"]);
      expect(placesOf(found)).to.deep.include(["LAW", "document.json", "spec against the ballot's winner"]);
      expect(found.map(({ subject }) => subject)).to.include("address of the mission against CREATE2 of its law");
    });

    it("finds a document whose words differ though its law does not", async () => {
      const found = await forged((files) => edit(files, "document.json", (law) => ({ ...law, title: "a better law" })));
      expect(placesOf(found)).to.deep.include(["LAW", "document.json", "document hash against the mission's"]);
    });

    it("finds a dropped ballot", async () => {
      const castBallots = legislativeProcedureAbi.find((item) => item.type === "function" && item.name === "castBallots");
      if (castBallots?.type !== "function") throw new Error("no castBallots");
      const selector = toFunctionSelector(castBallots).slice(2);
      const found = await forged((files) => {
        const lines = textOf(files, "chain.ndjson").split("\n");
        const at = lines.findIndex((line) => line.includes(selector));
        files.set("chain.ndjson", lines.with(at, (lines[at] ?? "").replace(/"transactions":\[[^\]]*\]/, '"transactions":[]')).join("\n"));
      });
      expect(found).to.have.length(1);
      expect(found[0]).to.include({ check: "CHAIN", file: "chain.ndjson" });
      expect(found[0]?.problem).to.match(/does not replay/);
    });

    it("finds a transcript that ends too early, wherever", async () => {
      const lines = readFileSync(join(mission.bundle, "chain.ndjson"), "utf8").split("\n");
      const shortened = (count: number) => forged((files) => files.set("chain.ndjson", `${lines.slice(0, count).join("\n")}\n`));
      expect((await shortened(lines.length - 2)).map(({ subject }) => subject)).to.include.members(["anchor", "final block"]);
      expect(await shortened(Math.floor(lines.length / 2))).to.have.nested.property("[0].file", "chain.ndjson");
      const torn = await forged((files) => files.set("chain.ndjson", textOf(files, "chain.ndjson").slice(0, -10)));
      expect(torn[0]).to.include({ check: "CHAIN", file: "chain.ndjson" });
    });
  });

  describe("by its checks", () => {
    let context: AuditContext;
    before(async () => {
      context = await openContext(openBundle(mission.bundle));
    });
    after(() => context.chain.close());

    for (const lie of LIES) {
      it(`${lie.check} finds ${lie.about} changed: ${lie.finds.source}`, async () => {
        const check = checks.find(({ name }) => name === lie.check);
        if (check === undefined) throw new Error(`no check ${lie.check}`);
        const { findings: found } = await inspect(check, [lying(context, lie)]);
        expect(found.map(({ subject, problem }) => `${subject} ${problem}`).join("\n")).to.match(lie.finds);
      });
    }

    /** A record of the session that is told otherwise: recognized by the fields it has. */
    const RETOLD: readonly (readonly [string, string, readonly string[], (record: JsonObject) => unknown, RegExp])[] = [
      [
        "MESSAGES",
        "the Registrar's question",
        ["minReputation"],
        (told) => ({ ...told, minReputation: 0 }),
        /question is not signed by registrar/,
      ],
      [
        "MESSAGES",
        "the Codifier's word",
        ["lawHash", "template"],
        (told) => ({ ...told, docHash: told["lawHash"] }),
        /does not hold: document/,
      ],
      [
        "DEBATE",
        "a published fact",
        ["evidence", "block"],
        (told) => replaced(told, "reputation", more),
        /published reputation of P\d is 501/,
      ],
      ["CLAIMS", "who claimed", ["found", "trail"], (told) => replaced(told, "attester_id", flipped), /whose it is/],
      ["CLAIMS", "how a check ended", ["found", "trail"], (told) => replaced(told, "status", () => "rejected"), /how its check ended/],
      [
        "CLAIMS",
        "an outcome's time",
        ["found", "trail"],
        (told) => replaced(told, "verified_at", () => "2025-01-01T00:00:00Z"),
        /not signed/,
      ],
      ["CLAIMS", "a claim's trail", ["found", "trail"], (told) => replaced(told, "trail", () => []), /trail of its life/],
      ["CLAIMS", "what an issuer found", ["found", "trail"], (told) => replaced(told, "found", flipped), /against the evidence/],
      ["DECISIONS", "a floor", ["envelope", "decision"], (told) => replaced(told, "fee_release", () => "SELF"), /OBLIGATION_HASH/],
      ["DECISIONS", "whose key it is", ["envelope", "decision"], (told) => replaced(told, "keys", exchanged), /the key of/],
      ["DECISIONS", "all keys", ["envelope", "decision"], (told) => replaced(told, "keys", () => ({})), /SUBMISSION_SIGNATURE/],
      ["DECISIONS", "the issuers' keys", ["envelope", "decision"], withoutIssuers, /HOP_SIGNATURE/],
      ["DECISIONS", "a claim's content", ["envelope", "decision"], (told) => replaced(told, "conclusion", () => "other"), /ENVELOPE_ID/],
      ["DECISIONS", "a verdict", ["envelope", "decision"], (told) => replaced(told, "verdict", () => "FAIL"), /VERIFIER_SIGNATURE/],
      ["SETTLEMENTS", "an amount", ["instruction", "drawBlock"], (told) => replaced(told, "paid", more), /is not signed by the engine/],
      ["SETTLEMENTS", "an id", ["instruction", "drawBlock"], (told) => replaced(told, "instruction_id", flipped), /derived again/],
      // That the ledger of reputation is asked is among the lies.
      ["SETTLEMENTS", "a multiplier", ["instruction", "drawBlock"], (told) => replaced(told, "multiplier", more), /derived again/],
      ["SETTLEMENTS", "who signed it", ["instruction", "drawBlock"], (told) => replaced(told, "engine", mirrored), /engine's key/],
      ["SETTLEMENTS", "a key that is none", ["instruction", "drawBlock"], (told) => replaced(told, "engine", flipped), /→ at engine/],
      [
        "SETTLEMENTS",
        "the clearing behind it",
        ["instruction", "drawBlock"],
        (told) => replaced(told, "drawBlock", more),
        /is not in the log/,
      ],
      [
        "SETTLEMENTS",
        "finality",
        ["evaluation", "deltas"],
        (told) => replaced(told, "phi_result", () => false),
        /says? it is not final|say it is not final/,
      ],
      ["PASSPORTS", "verdicts", ["before", "changed"], (told) => replaced(told, "verdicts", () => []), /verdicts against what was decided/],
      ["PASSPORTS", "a passport", ["before", "changed"], (told) => replaced(told, "agreed", more), /were never posted/],
      ["SETTLEMENTS", "what passports get", ["evaluation", "deltas"], (told) => replaced(told, "deltas", () => []), /means for passports/],
      [
        "SETTLEMENTS",
        "what was undertaken",
        ["admissibility_floors", "obligation_id"],
        (told) => replaced(told, "fee_release", () => "SELF"),
        /derived again|OBLIGATION_HASH/,
      ],
      [
        "DECISIONS",
        "the decision",
        ["envelope", "decision"],
        (told) => replaced(told, "decision", (decision) => ({ ...(decision as JsonObject), performance: "failed" })),
        /the documents' decision against the chain's/,
      ],
      ["DEBATE", "a speech's evidence", ["ground"], (told) => ({ ...told, evidence: ["hearsay"] }), /cites what nobody published/],
      ["DEBATE", "a speech's subject", ["ground"], (told) => replaced(told, "about", flipped), /is about nothing on the ballot/],
      ["DEBATE", "a speech's signature", ["rounds"], (told) => replaced(told, "signature", flipped), /is not signed by/],
      [
        "DEBATE",
        "the order of speeches",
        ["rounds"],
        (told) => replaced(told, "turns", (turns) => (turns as unknown[]).toReversed()),
        /is out of turn/,
      ],
    ];
    for (const [name, what, fields, retell, finds] of RETOLD) {
      it(`${name} finds ${what} told otherwise`, async () => {
        const check = checks.find((each) => each.name === name);
        if (check === undefined) throw new Error(`no check ${name}`);
        const block: AuditContext["block"] = (id) => {
          const value = context.block(id);
          if (!isObject(value) || !fields.every((field) => field in value)) return value;
          return parseJson(JSON.stringify(retell(value)));
        };
        const { findings: found } = await inspect(check, [{ ...context, block }]);
        expect(found.map(({ subject, problem }) => `${subject} ${problem}`).join("\n")).to.match(finds);
      });
    }

    for (const name of outcomeSchema.keyof().options) {
      it(`OUTCOME finds another ${name}`, async () => {
        const check = checks.find((each) => each.name === "OUTCOME");
        if (check === undefined) throw new Error("no check OUTCOME");
        const told =
          { children: [invented(context.outcome)], hybrid: ANCHORED, failure: FAILURE, excluded: [{ agent: "P1", reason: "none" }] }[
            String(name)
          ] ?? altered(context.outcome[name]);
        const outcome = outcomeSchema.parse({ ...context.outcome, [name]: told });
        const { findings: found } = await inspect(check, [{ ...context, outcome }]);
        expect(found).to.not.have.length(0);
      });
    }
  });
});

function placesOf(found: readonly AuditFinding[]): readonly (readonly [string, string, string])[] {
  return found.map(({ check, file, subject }) => [check, file, subject] as const);
}

/** Checkpoints of a mission that was worked on chain. */
const ANCHORED: Outcome["hybrid"] = { interval: 60, checkpoints: 1, anchored: 1, late: 0, unaudited: 1, longest: 0 };

/** Why a mission failed that did not. */
const FAILURE: Outcome["failure"] = { node: null, reason: "it rained", action: "wait" };

const entriesOf = (value: unknown): [string, unknown][] => (typeof value === "object" && value !== null ? Object.entries(value) : []);

/** Each key is another's. */
function exchanged(keys: unknown): unknown {
  const known = entriesOf(keys);
  return Object.fromEntries(known.map(([name], place) => [name, known[(place + 1) % known.length]?.[1]]));
}

/** The other point of the curve with the same first coordinate. */
const mirrored = (key: unknown) =>
  typeof key === "string" ? key.replace(/:0x0([23])/, (_, sign: string) => `:0x0${5 - Number(sign)}`) : key;

/** A clearing's record without the keys of whoever vouched for its evidence. */
function withoutIssuers(told: JsonObject): unknown {
  const items = listOf(field(told["envelope"], "items")).filter((item) => field(item, "type") !== "claim");
  const issuers = items.map((item) => field(listOf(field(item, "provenance"))[0], "emitter"));
  return replaced(told, "keys", (keys) => Object.fromEntries(entriesOf(keys).filter(([id]) => !issuers.includes(id))));
}

/** A mission below that never was. */
function invented({ money, mission, session }: Outcome): Outcome["children"][number] {
  return { path: "read-1", parent: mission ?? "0x", attempt: 1, session, mission: null, status: "no-law", title: null, leaves: 0, money };
}

/** The same shape with something else in it. */
function altered(value: unknown): unknown {
  if (value === null) return "0xdead";
  if (typeof value === "boolean") return !value;
  if (typeof value === "number") return value + 1;
  if (typeof value === "string") return alteredText(value);
  if (Array.isArray(value)) return value.slice(1);
  if (typeof value !== "object") return value;
  const members = Object.entries(value);
  const [name, member] = members.find(([, each]) => typeof each === "number" || /^\d+$/.test(String(each))) ?? members[0] ?? ["", 0];
  return { ...value, [name]: altered(member) };
}

function alteredText(text: string): string {
  if (text === "completed") return "aborted";
  if (/^0x/.test(text)) return "0xdead";
  return /^\d+$/.test(text) ? String(BigInt(text) + 1n) : `${text}1`;
}
