import { expect } from "chai";
import { type BlocCase, type BlocJudge, ruleOnBloc } from "../../orchestrator/adjudication/rule-on-bloc.ts";
import { simulatedJudge } from "../../orchestrator/adjudication/simulated-judge.ts";
import type { LegislatureOptions } from "../../orchestrator/legislature/context.ts";
import type { LegislaturePorts } from "../../orchestrator/legislature/ports.ts";
import { runLegislature } from "../../orchestrator/legislature/run-legislature.ts";
import { BlocMind } from "../../orchestrator/minds/bloc-mind.ts";
import { HeuristicMind } from "../../orchestrator/minds/heuristic-mind.ts";
import { populationOf } from "../../orchestrator/minds/personas.ts";
import { messageOf } from "../../orchestrator/primitives/errors.ts";
import { keyOf, type LivingCity, openLivingCity } from "../support/living-city.ts";
import { rejection } from "../support/rejection.ts";
import { deployed, memoryPorts, sessionOptions } from "../support/sessions.ts";

const VOTERS = 24;
const BLOC = 5;
const SEED = 7;

describe("a session with a bloc among its voters", function () {
  this.timeout(240_000);
  let city: LivingCity;
  let ports: ReturnType<typeof memoryPorts>;
  beforeEach(async () => {
    ports = memoryPorts();
    city = await openLivingCity({ producers: VOTERS, principals: 8 });
  });
  afterEach(() => city.chain.close());

  /** The last `bloc` of the producers rank as the first of them tells. */
  function optionsWith(bloc: number, ports: LegislaturePorts): LegislatureOptions {
    const personas = populationOf(VOTERS, SEED);
    const mindOf = (index: number) => new HeuristicMind({ persona: personas[index]!, seed: SEED, misjudgement: 0.1 });
    const first = VOTERS - bloc;
    const producers = city.producers.map((producer, index) => {
      if (index < first) return { ...producer, mind: mindOf(index) };
      const leader = city.producers[first]!.account.address;
      const mind = new BlocMind({ strategy: "identical", leader, instructions: mindOf(first), own: mindOf(index), seed: SEED });
      return { ...producer, mind };
    });
    return { ...sessionOptions(city, ports, SEED), producers, mostLaws: 7 };
  }

  /** Two adjudicators rule as the judge says. */
  const rulingBy = (judge: BlocJudge, seen: BlocCase[] = []): LegislaturePorts["ruling"] => {
    const seats = [1, 2, 3, 4, 5, 6, 7].map((seat) => ({ name: `adjudicator ${seat}`, account: keyOf(`adjudicator ${seat}`) }));
    return async ({ session, caseHash }) => {
      const { flagged } = await city.client.legislation.blocOf(session);
      const subject = { session, caseHash, blocs: [], flagged, ballots: VOTERS, winner: "A", otherwise: "B" };
      seen.push(subject);
      await ruleOnBloc({ client: city.client, seats, keep: (text) => ports.records.putJson([...text]) }, judge, subject);
    };
  };
  it("waits for two adjudicators, and goes on to its law when they release it", async () => {
    const stopped = await rejection(runLegislature(optionsWith(BLOC, ports)));
    expect(messageOf(stopped)).to.match(/^Session 1: voters who ranked alike may have decided it/);
    const { flagged, delayed } = await city.client.legislation.blocOf(1n);
    expect(delayed).to.equal(true);
    expect(flagged).to.be.at.least(BLOC);
    const told = city.notes.filter(({ kind }) => kind === "legislature.bloc").flatMap(({ subjects }) => subjects);
    for (const { account } of city.producers.slice(-BLOC)) expect(told).to.include(account.address);

    const release: BlocJudge = { simulated: false, decideBloc: async () => ({ release: true, justification: "they only agree" }) };
    const enacted = deployed(await runLegislature(optionsWith(BLOC, { ...ports, ruling: rulingBy(release) })));
    expect(await city.client.token.balanceOf(enacted.mission)).to.be.greaterThan(0n);
    expect((await city.client.legislation.blocOf(1n)).delayed).to.equal(false);
  });

  it("makes no law when they void the vote: the deposit goes back", async () => {
    const before = await city.client.token.balanceOf(city.sponsor.address);
    const seen: BlocCase[] = [];
    const result = await runLegislature(optionsWith(BLOC, { ...ports, ruling: rulingBy(simulatedJudge(31_337), seen) }));
    expect(result).to.include({
      status: "failed",
      reason: "adjudicators voided the vote: flagged voters held a critical share of it",
    });
    expect(seen).to.have.length(1);
    expect(await city.client.token.balanceOf(city.sponsor.address)).to.equal(before);
  });

  it("and without one nobody is flagged, and nobody asked", async () => {
    const seen: BlocCase[] = [];
    deployed(await runLegislature(optionsWith(0, { ...ports, ruling: rulingBy(simulatedJudge(31_337), seen) })));
    expect(await city.client.legislation.blocOf(1n)).to.include({ flagged: 0, delayed: false });
    expect(seen).to.deep.equal([]);
  });
});
