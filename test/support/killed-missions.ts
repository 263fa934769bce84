import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { EXECUTION_BOUNDARIES, HYBRID_BOUNDARIES, SENDER_BOUNDARIES } from "../../orchestrator/protocol/boundaries.ts";
import { balances, type Outcome } from "../../orchestrator/protocol/outcome.ts";
import { copyHome, expectInvariantsAt, foundHome } from "./city-home.ts";
import { outcomeIn, runCli } from "./cli.ts";
import { CALM_ROWS, smallInputs, smallMission } from "./small-mission.ts";
import { suiteDirectory } from "./temporary-directory.ts";

const SEED = "29";

/** The end of every stage of a wave, and before and after every sending that follows one. */
export const MISSION_KILLS: readonly string[] = [
  ...EXECUTION_BOUNDARIES,
  ...["execution:routed@2", "execution:invoked@2", "execution:cleared@2", "execution:recorded@2"],
  ...EXECUTION_BOUNDARIES.flatMap((stage) => SENDER_BOUNDARIES.map((sending) => `${stage}>${sending}`)),
  ...[2, 3, 4, 5, 6].flatMap((time) => SENDER_BOUNDARIES.map((sending) => `execution:routed>${sending}@${time}`)),
];

/** One of them for every run of the tests: work is done and nothing of it is on chain. */
export const SOME_MISSION_KILLS: readonly string[] = ["execution:invoked"];

/** In hybrid mode: after a wave's work, inside the sending of each checkpoint, and after it. */
export const HYBRID_KILLS: readonly string[] = [
  ...HYBRID_BOUNDARIES,
  ...HYBRID_BOUNDARIES.map((boundary) => `${boundary}@2`),
  ...[1, 2].flatMap((time) => SENDER_BOUNDARIES.map((sending) => `execution:worked@${time}>${sending}`)),
  "execution:cleared",
];

/** What must not depend on whether the orchestrator was killed. */
export function facts({ status, money, nodes, ballots, winner, law, human, reputations, market, slashed, gasByStage, epochs }: Outcome) {
  return {
    ...{ status, money, ballots, winner, law, human, reputations, market, slashed },
    epochs: epochs.map(({ mission: _, ...epoch }) => epoch),
    nodes: nodes.map(({ gas: _, ...node }) => node),
    sent: gasByStage.map(({ stage, transactions }) => [stage, transactions]),
  };
}

/** What must not depend on the mode either. */
function results({ status, money, nodes, ballots, winner, reputations, slashed }: Outcome) {
  return { status, money, nodes: nodes.map(({ gas: _, ...node }) => node), ballots, winner: winner?.title, reputations, slashed };
}

/** Runs a command in a home, kills it there, and gives it again. Every unit is accounted for, and the paper's invariants hold. */
export async function killAndGiveAgain(
  command: readonly string[],
  { home, seed, stopAt }: { readonly home: string; readonly seed: string; readonly stopAt: string },
): Promise<Outcome> {
  const killed = await runCli(command, { home, stopAt, limitMs: 400_000 });
  expect(killed, killed.stderr).to.include({ signal: "SIGKILL", stoppedAt: stopAt.split(">").at(-1)?.replace(/@\d+$/, "") });
  const outcome = outcomeIn(await runCli(command, { home, limitMs: 400_000 }));
  expect(balances(outcome.money)).to.equal(true);
  await expectInvariantsAt(home, seed, outcome);
  return outcome;
}

/** Where a kill happens, as a test's name says it. */
export const inWords = (stopAt: string): string => stopAt.replaceAll(">", ", then ");

/** Kills a mission's process at each place for real, gives the command again, and compares with a mission that nobody killed. */
export function describeMissionKills(title: string, kills: readonly string[], hybridKills: readonly string[]): void {
  describe(title, function () {
    this.timeout(900_000);
    const directory = suiteDirectory();
    const founded = () => join(directory(), "founded");
    let args: readonly string[];
    let undisturbed: Outcome;

    before(async () => {
      const file = join(directory(), "mission.yaml");
      writeFileSync(file, smallMission(smallInputs(directory(), CALM_ROWS).csv));
      args = ["mission", file, "--seed", SEED, "--json"];
      await foundHome(founded(), SEED);
      undisturbed = outcomeIn(await runCli(args, { home: copyHome(founded(), join(directory(), "undisturbed")), limitMs: 400_000 }));
      expect(undisturbed.status).to.equal("completed");
    });

    for (const stopAt of kills) {
      it(`by SIGKILL at ${inWords(stopAt)}: nothing lost, nothing twice, the paper's invariants hold`, async () => {
        expect(facts(await killedAt(stopAt, args))).to.deep.equal(facts(undisturbed));
      });
    }

    for (const stopAt of hybridKills) {
      it(`in hybrid mode, by SIGKILL at ${inWords(stopAt)}: one checkpoint per wave, and as much for everybody as on chain`, async () => {
        const outcome = await killedAt(stopAt, [...args, "--mode", "hybrid"]);
        expect(results(outcome)).to.deep.equal(results(undisturbed));
        expect(outcome.hybrid).to.include({ checkpoints: 3, anchored: outcome.nodes.length, late: 0 });
        expect(outcome.gasByStage.find(({ stage }) => stage === "checkpoint")?.transactions).to.equal(3);
      });
    }

    function killedAt(stopAt: string, command: readonly string[]): Promise<Outcome> {
      const place = `killed at ${stopAt.replaceAll(":", " ")}${command.includes("hybrid") ? ", hybrid" : ""}`;
      const home = copyHome(founded(), join(directory(), place));
      return killAndGiveAgain(command, { home, seed: SEED, stopAt });
    }
  });
}
