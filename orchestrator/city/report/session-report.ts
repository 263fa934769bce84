import type { Address } from "viem";
import { pivotsOf, winnerAmong } from "../../legislature/pivots.ts";
import type { LegislatureResult } from "../../legislature/result.ts";
import type { SessionReport } from "../../protocol/session-report.ts";
import { packRanking, type Standing, standingsOf } from "../../rules/condorcet.ts";
import { depth, jaccard, tau } from "../../rules/rank-correlation.ts";
import type { City } from "../city.ts";
import { membersOf } from "../founding/society.ts";
import { type FlaggedBloc, flaggedBlocs, flaggedIn, rulingOf } from "../humans/bloc-case.ts";
import type { Held } from "../missions/hold-session.ts";
import { type CityCall, callsSince } from "./gas.ts";
import { letterOf } from "./letters.ts";

/** Describes a session from chain and records; nothing in it depends on the wall clock. */
export async function sessionReport(city: City, name: string, { law, assembly, fromBlock }: Held): Promise<SessionReport> {
  const { client, society, chain } = city;
  const names = new Map(society.map((member) => [member.account.address, member.name]));
  const nameOf = (address: Address) => names.get(address) ?? address;
  const { tieSeed, rules } = await client.legislation.sessionOf(law.session);
  const voted = law.ballots.length > 0;
  const standings = voted ? standingsOf(law.pairwise, tieSeed) : [];
  const winner = law.candidates[law.winner];
  const { alone, swing } = voted ? pivotsOf(law.ballots, law.candidates.length, tieSeed) : { alone: [], swing: null };
  const blocs = await flaggedBlocs(client, law.session);
  const flagged = flaggedIn(blocs);
  const { delayed } = await client.legislation.blocOf(law.session);
  const calls = await callsSince(client, fromBlock + 1n, []);
  const head = chain.head();
  return {
    status: law.status === "deployed" ? "deployed" : "no-law",
    reason: law.status === "deployed" ? null : law.reason,
    name,
    network: chain.name,
    chainId: chain.id,
    seed: city.seed,
    session: law.session.toString(),
    mission: law.status === "deployed" ? law.mission : null,
    electorate: {
      agents: law.electorate,
      principals: new Set(membersOf(society, "producer").map(({ principal }) => principal)).size,
      personas: counted([...assembly.personas.values()]),
      planted: [...assembly.planted],
    },
    candidates: law.candidates.map(({ entry, title, proposer, sponsors }) => {
      const { points = 0, worst = 0 } = standings.find(({ candidate }) => candidate === entry) ?? {};
      return { entry, letter: letterOf(entry), title, proposer: proposer === null ? null : nameOf(proposer), sponsors, points, worst };
    }),
    order: standings.map(({ candidate }) => candidate),
    ballots: law.ballots.map(({ agent, ranking }) => {
      const voter = nameOf(agent);
      return { agent: voter, persona: assembly.personas.get(voter) ?? "", ranking: [...ranking] };
    }),
    pairwise: law.pairwise.map((row) => [...row]),
    winner:
      voted && winner !== undefined
        ? { entry: winner.entry, letter: letterOf(winner.entry), title: winner.title, by: criterionOf(standings) }
        : null,
    pivotal: {
      alone: alone.map(nameOf),
      swing: swing === null ? null : { ...swing },
      withoutFlagged:
        flagged.size === 0
          ? null
          : winnerAmong(
              law.ballots.filter(({ agent }) => !flagged.has(agent)),
              law.candidates.length,
              tieSeed,
            ),
    },
    blocs: blocs.map((bloc) => ({
      leader: nameOf(bloc.leader),
      members: [bloc.leader, ...bloc.members].map(nameOf),
      ...likenessOf(bloc, law),
    })),
    delay: { flagged: flagged.size, criticalShare: rules.blocShare, delayed, ruling: await rulingOf(city, law.session, nameOf) },
    metrics: law.metrics,
    gas: gasOf(calls, law.ballots.length),
    finalBlock: { number: Number(head.number), hash: head.hash },
  };
}

/** The criterion that separated the first from the second. */
function criterionOf([first, second]: readonly Standing[]): NonNullable<SessionReport["winner"]>["by"] {
  if (first?.points !== second?.points) return "duels";
  return first?.worst !== second?.worst ? "smallest defeat" : "seed";
}

/** How alike each flagged bloc is, from the recorded rankings. */
function likenessOf({ leader, members }: FlaggedBloc, { ballots, candidates }: LegislatureResult) {
  const m = candidates.length;
  const rankings = new Map(ballots.map(({ agent, ranking }) => [agent, packRanking(ranking)]));
  const own = rankings.get(leader) ?? 0n;
  const others = members.map((member) => rankings.get(member) ?? 0n);
  return {
    tau: Math.min(...others.map((other) => tau(own, other, m))),
    jaccard: Math.min(...others.map((other) => jaccard(own, other, m, depth(m)))),
  };
}

function counted(personas: readonly string[]): Record<string, number> {
  return Object.fromEntries([...Map.groupBy(personas, (persona) => persona)].map(([persona, agents]) => [persona, agents.length]));
}

function gasOf(calls: readonly CityCall[], ballots: number): SessionReport["gas"] {
  const steps = [...Map.groupBy(calls, ({ functionName }) => functionName)].map(([step, own]) => ({
    step,
    transactions: own.length,
    gas: own.reduce((sum, { receipt }) => sum + Number(receipt.gasUsed), 0),
  }));
  const { transactions = 0, gas = 0 } = steps.find(({ step }) => step === "castBallots") ?? {};
  return {
    total: steps.reduce((sum, step) => sum + step.gas, 0),
    ballots: { transactions, gas, perBallot: ballots === 0 ? 0 : Math.round(gas / ballots) },
    steps,
  };
}
