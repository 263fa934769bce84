import { BlocMind, type BlocStrategy } from "../../minds/bloc-mind.ts";
import { HeuristicMind } from "../../minds/heuristic-mind.ts";
import type { Mind } from "../../minds/mind.ts";
import { MISJUDGEMENT, populationOf } from "../../minds/personas.ts";
import { randomStream } from "../../primitives/random.ts";
import type { City } from "../city.ts";
import { type Member, membersOf } from "../founding/society.ts";

/** A bloc among the voters: how many agents, of as many different owners as possible, vote as their leader directs. */
export interface PlantedBloc {
  readonly size: number;
  readonly strategy: BlocStrategy;
}

/** Participants of a large session, and their minds. */
export interface Assembly {
  readonly minds: ReadonlyMap<string, Mind>;
  /** Persona by agent; members of the bloc are "bloc". */
  readonly personas: ReadonlyMap<string, string>;
  /** The bloc, its leader first. */
  readonly planted: readonly string[];
}

/** Heuristic minds of the documented population; some of them, drawn from the seed, form the bloc. */
export function assemblyOf({ society, seed }: Pick<City, "society" | "seed">, { size, strategy }: PlantedBloc): Assembly {
  const producers = membersOf(society, "producer");
  const personas = populationOf(producers.length, seed);
  const own = producers.map((member, index) => {
    const persona = personas[index] ?? "cooperative";
    return { member, persona, mind: new HeuristicMind({ persona, seed, misjudgement: MISJUDGEMENT }) };
  });
  const planted = blocAmong(producers, size, seed);
  const leader = own.find(({ member }) => member.name === planted[0]?.name);
  const instructed = new Set(planted.map(({ name }) => name));
  const seats = own.map(({ member: { name }, persona, mind }) =>
    leader === undefined || !instructed.has(name)
      ? { name, persona, mind }
      : {
          name,
          persona: "bloc",
          mind: new BlocMind({ strategy, leader: leader.member.account.address, instructions: leader.mind, own: mind, seed }),
        },
  );
  return {
    minds: new Map(seats.map(({ name, mind }) => [name, mind])),
    personas: new Map(seats.map(({ name, persona }) => [name, persona])),
    planted: planted.map(({ name }) => name),
  };
}

/** Agents of different owners as far as there are enough: agents of one owner would be expected to vote alike. */
function blocAmong(producers: readonly Member[], size: number, seed: string): readonly Member[] {
  const shuffled = randomStream(seed, "bloc").shuffle(producers);
  const owners = new Set<string | undefined>();
  const [firsts, others]: [Member[], Member[]] = [[], []];
  for (const member of shuffled) {
    (owners.has(member.principal) ? others : firsts).push(member);
    owners.add(member.principal);
  }
  return [...firsts, ...others].slice(0, size);
}
