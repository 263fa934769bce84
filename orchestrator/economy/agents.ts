import type { RandomStream, Seed } from "../primitives/random.ts";
import { randomStream } from "../primitives/random.ts";
import { capability, logNormal } from "./draws.ts";
import type { Decision } from "./model.ts";
import { type Character, type EconomyParameters, PERSONA_NAMES, type PersonaName } from "./parameters.ts";

/** An agent's properties, wealth and memory. */
export interface Agent {
  readonly id: number;
  readonly persona: PersonaName;
  readonly character: Character;
  readonly capabilities: readonly number[];
  /** Its three best dimensions. */
  readonly best: readonly number[];
  /** Cost of a task at full match, tokens. */
  readonly cost: number;
  /** θ: share of others that must comply before it does; infinite for agents that never reciprocate. */
  readonly threshold: number;
  wealth: number;
  /** Observed share of compliant others, and its belief in announcements. */
  seen: number;
  credibility: number;
  trust: number;
  /** Last round in which it is shunned. */
  shunnedUntil: number;
  /** Quality of its sound work so far. */
  soundWork: number;
  /** A chat model's decision for this round; undefined if the persona's utility decides. */
  decision: Decision | undefined;
  /** Completed tasks by main dimension. */
  readonly done: number[];
}

/** One agent, determined by seed and number, independent of the configuration. */
export function agentOf(id: number, persona: PersonaName, seed: Seed, world: EconomyParameters): Agent {
  const stream = randomStream(seed, "economy", "agent", id);
  const capabilities = Array.from({ length: world.dimensions }, () => capability(stream));
  const character = world.characters[persona];
  const cost = logNormal(stream, world.cost.mean, world.cost.deviation);
  const threshold = stream.next();
  return {
    id,
    persona,
    character,
    capabilities,
    best: capabilities
      .map((level, dimension) => ({ level, dimension }))
      .sort((one, other) => other.level - one.level)
      .slice(0, 3)
      .map(({ dimension }) => dimension),
    cost,
    threshold: character.reciprocates ? threshold : Number.POSITIVE_INFINITY,
    wealth: 0,
    seen: 1,
    credibility: 1,
    trust: 0.5,
    shunnedUntil: -1,
    soundWork: 0,
    decision: undefined,
    done: Array.from({ length: world.dimensions }, () => 0),
  };
}

/** This many agents in the world's shares, in an order drawn from the seed. */
export function population(agents: number, seed: Seed, world: EconomyParameters): Agent[] {
  return personasOf(agents, world, randomStream(seed, "economy", "population")).map((persona, id) => agentOf(id, persona, seed, world));
}

function personasOf(agents: number, { shares }: EconomyParameters, stream: RandomStream): PersonaName[] {
  const whole = PERSONA_NAMES.reduce((sum, name) => sum + shares[name], 0);
  let below = 0;
  const ordered = PERSONA_NAMES.flatMap((name) => {
    const from = Math.round((below * agents) / whole);
    below += shares[name];
    return Array.from({ length: Math.round((below * agents) / whole) - from }, () => name);
  });
  return stream.shuffle(ordered);
}
