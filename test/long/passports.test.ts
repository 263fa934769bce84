/** Passports across missions of one city: written once a mission, taken up by the next, posted, and folded again by the audit. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { zeroHash } from "viem";
import { simulatedJudge } from "../../orchestrator/adjudication/simulated-judge.ts";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { runToEnd } from "../../orchestrator/city/missions/run.ts";
import { answerKey } from "../../orchestrator/city/world.ts";
import { readInput } from "../../orchestrator/execution/inputs/read-input.ts";
import { indexAfter, indexDigest, type Passports, passportsSchema } from "../../orchestrator/execution/passports.ts";
import type { Hash } from "../../orchestrator/primitives/hex.ts";
import { parseMissionFile } from "../../orchestrator/protocol/mission-file.ts";
import { CATALOG } from "../../services/catalog.ts";
import { openHome } from "../support/city-home.ts";
import { PACKAGES, SMALL_MISSION } from "../support/mission-bundle.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const DAY = 86_400n;

describe("passports", function () {
  this.timeout(300_000);
  const directory = suiteDirectory();
  let city: City;

  before(async () => {
    mkdirSync(directory(), { recursive: true });
    writeFileSync(join(directory(), "packages.csv"), PACKAGES);
    city = await openHome(directory(), "7");
  });
  after(() => city?.close());

  async function mission(id: string) {
    const file = parseMissionFile(SMALL_MISSION, { fileName: "packages.yaml", catalog: CATALOG, budgetCap: 10n ** 12n });
    const order = {
      file,
      catalog: CATALOG,
      input: readInput(file.input, directory()),
      id,
      judge: simulatedJudge(city.chain.id),
      cheat: false,
    };
    const outcome = await runToEnd(city, order, SMALL_MISSION, directory());
    return { outcome, report: await auditBundle(join(directory(), outcome.bundle ?? "")) };
  }

  const posts = async () => (await city.client.evidence.history("PassportsPosted")).map(({ args }) => args);
  const passportsOf = (address: string, previous: Hash): Promise<Passports | undefined> =>
    city.answers.recall(answerKey(["passports", address, previous]), passportsSchema);

  it("are written after each mission, posted, move weights, and stand the audit", async () => {
    const first = await mission("one");
    // A weight moves at most three a day.
    await city.chain.clock.run(async () => city.chain.clock.sleepUntil(city.chain.clock.now() + DAY));
    const second = await mission("two");
    const [one, two, ...more] = await posts();
    if (one === undefined || two === undefined) throw new Error("nothing was posted");
    expect(more).to.deep.equal([]);

    const written = await passportsOf(first.outcome.mission ?? "", zeroHash);
    if (written === undefined) throw new Error("nothing was written");
    expect(indexDigest(indexAfter(written))).to.equal(one.passports);
    const taken = await passportsOf(second.outcome.mission ?? "", one.passports);
    expect(taken?.before).to.deep.equal(indexAfter(written));
    expect(written.verdicts.length).to.be.greaterThan(5);
    const verdicts = [...written.verdicts, ...(taken?.verdicts ?? [])];
    expect(verdicts.every(({ agreed, matches }) => agreed && matches !== false)).to.equal(true);
    expect(verdicts.some(({ matches }) => matches === true)).to.equal(true);

    // Whoever sat on panels judged as was decided: three more each, the others stay.
    expect(one.verifiers.length).to.be.greaterThan(0);
    expect([...one.weights]).to.deep.equal(one.verifiers.map(() => 103));
    expect([...one.before]).to.deep.equal(one.verifiers.map(() => 100));
    // Two panels of three among five have somebody in common, whoever is drawn.
    const twice = one.verifiers.filter((verifier) => two.verifiers.includes(verifier));
    expect(twice).to.not.have.length(0);
    for (const verifier of twice) expect(await city.client.evidence.weightOf(verifier)).to.equal(106);

    for (const { report } of [first, second]) {
      expect(report.checks.flatMap(({ findings }) => findings)).to.deep.equal([]);
      expect(report.checks.find(({ name }) => name === "PASSPORTS")?.verified).to.be.greaterThan(5);
    }
  });
});
