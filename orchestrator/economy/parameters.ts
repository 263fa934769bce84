/** Every constant of the economy, as docs/economy.md states it. No configuration has others. */
export const CONFIGURATIONS = ["baseline", "emergent", "structural", "full"] as const;
export type Configuration = (typeof CONFIGURATIONS)[number];
export const PERSONA_NAMES = ["cooperative", "self-interested", "adversarial"] as const;
export type PersonaName = (typeof PERSONA_NAMES)[number];

/** What an agent cares about beside its own income. */
export interface Character {
  /** What a lie costs it, as a share of what it gains. */
  readonly honesty: number;
  /** What others' loss is worth to it, as a share of the loss. */
  readonly harm: number;
  /** Whether it keeps to a norm while enough others do. */
  readonly reciprocates: boolean;
}

export interface EconomyParameters {
  readonly rounds: number;
  readonly milestoneRounds: number;
  readonly tasks: number;
  readonly pool: {
    /** Capacity for each agent that begins. */
    readonly capacity: number;
    readonly growth: number;
    /** Depleted below this share of the capacity. */
    readonly depleted: number;
    /** Part of the largest sustainable yield that is shared out as quota. */
    readonly quota: number;
  };
  /** Parts of a hundred. */
  readonly shares: Readonly<Record<PersonaName, number>>;
  readonly characters: Readonly<Record<PersonaName, Character>>;
  /** What may be harvested, in quotas. */
  readonly harvests: readonly number[];
  readonly dimensions: number;
  readonly cost: { readonly mean: number; readonly deviation: number };
  readonly price: number;
  readonly level: { readonly least: number; readonly most: number };
  readonly noise: number;
  /** Sound work has at least this quality, and a cooperative agent takes only tasks it matches so well. */
  readonly sound: number;
  /** Emergent: peers looked at a round, and the chance that a lie is found out by one. */
  readonly peers: number;
  readonly lieFound: number;
  /** Chance that a reviewer who looks notices unsound work. */
  readonly reviewerNotices: number;
  /** Part of a task's cost that a review takes. */
  readonly reviewCost: number;
  readonly talkEvery: number;
  /** Laws drafted for a ballot at most; eight if it is left out. */
  readonly drafts?: number;
  /** What stays of a belief in a round, and of trust at an outcome. */
  readonly beliefKept: number;
  readonly trustKept: number;
  readonly shock: {
    readonly round: number;
    readonly freeRiders: number;
    readonly bloc: number;
    readonly leave: number;
    readonly from: number;
  };
}

export const ECONOMY: EconomyParameters = {
  rounds: 200,
  milestoneRounds: 20,
  tasks: 25,
  pool: { capacity: 100, growth: 0.25, depleted: 0.2, quota: 1 },
  shares: { cooperative: 60, "self-interested": 25, adversarial: 15 },
  characters: {
    cooperative: { honesty: 1, harm: 0, reciprocates: true },
    "self-interested": { honesty: 0.25, harm: 0, reciprocates: false },
    adversarial: { honesty: 0, harm: 0.25, reciprocates: false },
  },
  harvests: [0.5, 1, 1.5, 2, 3, 4],
  dimensions: 10,
  cost: { mean: 3, deviation: 0.5 },
  price: 40,
  level: { least: 0.2, most: 0.5 },
  noise: 0.05,
  sound: 0.6,
  peers: 5,
  lieFound: 0.33,
  reviewerNotices: 0.5,
  reviewCost: 0.1,
  talkEvery: 10,
  beliefKept: 0.7,
  trustKept: 0.9,
  shock: { round: 100, freeRiders: 10, bloc: 5, leave: 20, from: 50 },
};

/** How far the shock's numbers are scaled down in a city of so many. */
export const shockScale = (agents: number, { shock }: EconomyParameters): number => (agents < shock.from ? agents / 200 : 1);
