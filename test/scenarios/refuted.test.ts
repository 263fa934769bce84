// @long
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { expect } from "chai";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import { auditDocuments } from "../../orchestrator/city/audit/audit-documents.ts";
import { AuditFailed } from "../../orchestrator/city/audit/audit-failed.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { devnetSociety, memberOf, withIssuer } from "../../orchestrator/city/founding/society.ts";
import type { Issuer } from "../../orchestrator/execution/seat.ts";
import { SeatAbsent } from "../../orchestrator/minds/absence.ts";
import type { Address } from "../../orchestrator/primitives/hex.ts";
import { balances, type Outcome } from "../../orchestrator/protocol/outcome.ts";
import { EvidenceClass, REFUTED } from "../../orchestrator/rules/admissibility.ts";
import { ClearingResult } from "../../orchestrator/rules/clearing.ts";
import { localIssuer } from "../../orchestrator/seats/local.ts";
import { forge, logOf, relink } from "../city/audit/forgery.ts";
import { carryOutIn, openHome } from "../support/city-home.ts";
import { committingAlone, type LoneExecutor } from "../support/lone-executor.ts";
import { rejection } from "../support/rejection.ts";
import { CALM_ROWS, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

/** What being late costs, and the whole of what stands behind a node of this risk, smallest unit. */
const [LATE, STAKE] = ["50000000", "150000000"];
const SECOND = "second issuer";

function filesBelow(folder: string): ReadonlyMap<string, Uint8Array> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [relative(folder, path).replaceAll(sep, "/"), readFileSync(path)] as const;
    }),
  );
}

describe("scenario: an executor that commits by itself and shows nothing", function () {
  this.timeout(300_000);
  const directory = suiteDirectory();
  const told: string[] = [];
  let home: string;
  let city: City;
  let second: Issuer;
  let passedOver: string;

  /** The same city as a process sees it that knows the second issuer by name and holds no key of it. */
  function without({ society, ...rest }: City): City {
    return { ...rest, society: society.map((member) => (member.name === SECOND ? { ...member, role: "principal" as const } : member)) };
  }

  /** `instead`: of the second issuer. */
  async function carryOut(id: string, does: LoneExecutor, instead?: readonly Issuer[]): Promise<Outcome> {
    const outsiders = { workers: [], verifiers: [], issuers: instead ?? [] };
    const text = smallMission(smallInputs(directory(), CALM_ROWS).csv);
    const seen = instead === undefined ? city : without(city);
    return carryOutIn({ ...seen, sandbox: committingAlone(city, does) }, text, { id, home, outsiders });
  }

  const redone = ({ nodes }: Outcome) => nodes.filter(({ attempts }) => attempts > 1);
  /** Of the work that did not pass. */
  const decisions = async ({ mission }: Outcome) => {
    const cleared = await city.client.mission(mission as Address).history("Cleared");
    return cleared.map(({ args }) => args).filter(({ result }) => result !== ClearingResult.PASS);
  };

  async function expectSound(outcome: Outcome): Promise<void> {
    expect(outcome.status, told.join("\n")).to.equal("completed");
    expect(balances(outcome.money)).to.equal(true);
    const audit = await auditBundle(outcome.bundle ?? "");
    expect(audit.checks.flatMap(({ findings }) => findings)).to.deep.equal([]);
    const documents = await auditDocuments(filesBelow(outcome.bundle ?? ""));
    expect(documents.checks.flatMap(({ findings }) => findings)).to.deep.equal([]);
  }

  before(async () => {
    home = join(directory(), "home");
    city = await openHome(home, "31", { progress: (line) => told.push(line), society: withIssuer(devnetSociety(), SECOND, "Hana") });
    const member = memberOf(city.society, "issuer", SECOND);
    const principal = memberOf(city.society, "principal", "Hana").account.address;
    second = localIssuer({ ...member, principal, issues: ["ATT"] }, city.client);
  });
  after(() => city?.close());

  it("loses its whole stake for garbage that issuers of two principals refute, and another does the work", async () => {
    const outcome = await carryOut("garbage", { commits: "garbage", handsIn: false });
    const [first] = await decisions(outcome);
    expect(first, told.join("\n")).to.deep.include({ result: ClearingResult.FAIL, basis: REFUTED, evidenceClass: EvidenceClass.ATT });
    expect(outcome.slashed).to.equal(STAKE);
    const [node] = redone(outcome);
    expect(node).to.deep.include({ state: "COMPLETED", attempts: 2 });
    const [liar, other] = node?.executors ?? [];
    const principal = (name = "") => memberOf(city.society, "producer", name).principal;
    expect(principal(other?.agent)).to.not.equal(principal(liar?.agent));
    expect(BigInt(other?.paid ?? "0") > 0n).to.equal(true);
    await expectSound(outcome);
    passedOver = outcome.bundle ?? "";
  });

  it("which no auditor accepts without a record of that decision", async () => {
    const forged = forge(passedOver, join(directory(), "forged"), (files) => {
      const log = logOf(files);
      const redone = log
        .filter(({ kind, subjects }) => kind === "execution.clearing" && subjects[2] === "1")
        .map(({ subjects }) => subjects[1]);
      const isFailure = ({ subjects: [, node, attempt] }: (typeof log)[number]) => redone.includes(node) && attempt === "0";
      relink(
        files,
        log.filter((entry) => !(/^execution\.(clearing|settlement|finality)$/.test(entry.kind) && isFailure(entry))),
      );
    });
    const error = await rejection(auditBundle(forged));
    if (!(error instanceof AuditFailed)) throw error;
    const problems = error.report.checks.flatMap(({ findings }) => findings.map(({ problem }) => problem));
    expect(problems).to.include("failed on chain by CLEARED_FAIL, and no instruction in the log follows from that");
  });

  it("and loses it as well though it hands in what is right: judged is what was committed", async () => {
    const outcome = await carryOut("two-faced", { commits: "garbage", handsIn: true });
    const [first] = await decisions(outcome);
    expect(first, told.join("\n")).to.deep.include({ result: ClearingResult.FAIL, basis: REFUTED });
    expect(outcome.slashed).to.equal(STAKE);
    await expectSound(outcome);
  });

  it("is late, no more, where the second issuer is silent and a third is of the first one's principal", async () => {
    const silent = { ...second, refute: () => Promise.reject(new SeatAbsent("an issuer", "refute", "it does not answer")) };
    const gil = memberOf(city.society, "principal", "Gil").account.address;
    const outcome = await carryOut("unheard", { commits: "garbage", handsIn: false }, [silent, { ...second, principal: gil }]);
    const [first] = await decisions(outcome);
    expect(first, told.join("\n")).to.deep.include({ result: ClearingResult.UNVERIFIABLE, basis: 0n });
    expect(outcome.slashed).to.equal(LATE);
    await expectSound(outcome);
  });

  it("is not condemned for right work by an issuer that lies against another's word", async () => {
    const lying: Issuer = {
      ...second,
      refute: (work) => second.refute({ ...work, obtain: async () => new TextEncoder().encode("a lie") }),
    };
    const outcome = await carryOut("slandered", { commits: "the truth", handsIn: false }, [lying]);
    const [first] = await decisions(outcome);
    expect(first, told.join("\n")).to.deep.include({ result: ClearingResult.UNVERIFIABLE, basis: 0n });
    expect(outcome.slashed).to.equal(LATE);
    await expectSound(outcome);
  });
});
