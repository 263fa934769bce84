import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { createTestClient, http } from "viem";
import { simulatedJudge } from "../../orchestrator/adjudication/simulated-judge.ts";
import { type Anvil, startAnvil } from "../../orchestrator/chain/anvil.ts";
import { ANVIL_GENESIS } from "../../orchestrator/chain/anvil-chain.ts";
import { ChainDisagrees, RpcUnreachable } from "../../orchestrator/chain/errors.ts";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import { type City, openCity } from "../../orchestrator/city/city.ts";
import { runToEnd } from "../../orchestrator/city/missions/run.ts";
import { readInput } from "../../orchestrator/execution/inputs/read-input.ts";
import { parseMissionFile } from "../../orchestrator/protocol/mission-file.ts";
import { balances, type Outcome } from "../../orchestrator/protocol/outcome.ts";
import { CATALOG } from "../../services/catalog.ts";
import { cache } from "../support/cache.ts";
import { PACKAGES, SMALL_MISSION } from "../support/mission-bundle.ts";
import { expectPaperInvariants } from "../support/paper-invariants.ts";
import { rejection } from "../support/rejection.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

/** Anvil in a third process, killed for real while a mission runs (decisions 49). */
describe("fault: Anvil is killed", function () {
  this.timeout(180_000);
  const directory = suiteDirectory();
  const running: Anvil[] = [];
  let whole: Outcome;
  let resumed: Outcome;
  let ended: NodeJS.Signals | null;
  let failure: Error;
  const told: string[] = [];

  /** Somebody else's Anvil, with the flags of a city's. */
  const newAnvil = async (): Promise<Anvil> => {
    const anvil = await startAnvil({ driven: ANVIL_GENESIS });
    running.push(anvil);
    return anvil;
  };
  const openOn = (folder: string, url: string, boundary?: (name: string) => Promise<void>): Promise<City> =>
    openCity({
      dir: join(directory(), folder),
      cacheDir: cache,
      network: "anvil",
      rpcUrl: url,
      seed: "7",
      progress: (line) => told.push(line),
      millis: () => 0,
      ...(boundary === undefined ? {} : { boundary }),
    });
  const carryOut = async (city: City): Promise<Outcome> => {
    const file = parseMissionFile(SMALL_MISSION, { fileName: "packages.yaml", catalog: CATALOG, budgetCap: 10n ** 12n });
    const order = { file, catalog: CATALOG, input: readInput(file.input, directory()), id: "small", judge: simulatedJudge(city.chain.id) };
    const outcome = await runToEnd(city, order, SMALL_MISSION, join(directory(), "home"));
    await expectPaperInvariants(city, outcome);
    return outcome;
  };

  before(async () => {
    writeFileSync(join(directory(), "packages.csv"), PACKAGES);
    const undisturbed = await openOn("whole", (await newAnvil()).url);
    whole = await carryOut(undisturbed);
    await undisturbed.close();

    const victim = await newAnvil();
    let armed = false;
    const interrupted = await openOn("killed", victim.url, async (name) => {
      if (name === "execution:committed") armed = true;
      // Signed, written to the outbox, and never sent: the node is gone.
      if (armed && name === "sender:signed") ended = await victim.stop("SIGKILL");
    });
    failure = await rejection(carryOut(interrupted));
    await interrupted.close();

    const again = await openOn("killed", (await newAnvil()).url);
    resumed = await carryOut(again);
    await again.close();
  });
  after(async () => {
    for (const anvil of running) await anvil.stop("SIGKILL");
  });

  it("by SIGKILL, between signing and sending, and the mission says that the chain is gone", () => {
    expect(ended).to.equal("SIGKILL");
    expect(unreachable(failure), String(failure)).to.be.instanceOf(RpcUnreachable);
  });

  it("goes on where it stopped: blocks are mined again from the transcript, what was signed is sent, byte for byte", () => {
    expect(told.some((line) => /the node had lost \d+ of \d+ blocks: they were mined again, hash for hash/.test(line))).to.equal(true);
    expect(told.some((line) => /signed transactions had no known fate and were sent again/.test(line))).to.equal(true);
    expect(resumed).to.deep.include({ status: "completed", network: "Anvil L2", chainId: 31337 });
    expect(balances(resumed.money)).to.equal(true);
  });

  it("ends as if nothing had happened: same money, nothing twice", () => {
    const facts = ({ money, nodes, ballots, winner, law, human, reputations, market, slashed }: Outcome) => ({
      money,
      nodes: nodes.map(({ gas: _, ...node }) => node),
      ...{ ballots, winner, law, human, reputations, market, slashed },
    });
    expect(facts(resumed)).to.deep.equal(facts(whole));
    const sent = ({ gasByStage }: Outcome) => gasByStage.map(({ stage, transactions }) => [stage, transactions]);
    expect(sent(resumed)).to.deep.equal(sent(whole));
  });

  it("passes the audit, which mines the transcript again on an Anvil of its own", async () => {
    const report = await auditBundle(join(directory(), "home", resumed.bundle ?? ""));
    expect(report.passed).to.equal(true);
    expect(report.head?.hash).to.equal(resumed.finalBlock.hash);
  });

  it("is refused when it is another chain", async () => {
    const foreign = await newAnvil();
    await connectAndMine(foreign.url);
    expect(await rejection(openOn("killed", foreign.url))).to.be.instanceOf(ChainDisagrees);
  });
});

/** One block that the records know nothing of. */
async function connectAndMine(url: string): Promise<void> {
  const client = createTestClient({ mode: "anvil", transport: http(url) });
  await client.mine({ blocks: 1 });
}

/** Libraries in between wrap what they did not expect. */
function unreachable(error: unknown): unknown {
  return error instanceof RpcUnreachable || !(error instanceof Error) || error.cause === undefined ? error : unreachable(error.cause);
}
