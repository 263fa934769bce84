/** Every constant of the economy, as stated in docs/economy.md, for all configurations. */
export const CONFIGURATIONS = ["baseline", "emergent", "structural", "full"] as const;
export type Configuration = (typeof CONFIGURATIONS)[number];
export const PERSONA_NAMES = ["cooperative", "self-interested", "adversarial"] as const;
export type PersonaName = (typeof PERSONA_NAMES)[number];

/** Preferences of an agent besides its own income. */
export interface Character {
  /** Cost of a lie, as a share of its gain. */
  readonly honesty: number;
  /** Weight of others' loss, as a share of the loss. */
  readonly harm: number;
  /** Whether it keeps to a norm while enough others do. */
  readonly reciprocates: boolean;
}

export interface EconomyParameters {
  readonly rounds: number;
  readonly milestoneRounds: number;
  readonly tasks: number;
  readonly pool: {
    /** Initial capacity per agent. */
    readonly capacity: number;
    readonly growth: number;
    /** Depleted below this share of the capacity. */
    readonly depleted: number;
    /** Share of the maximum sustainable yield that is distributed as quota. */
    readonly quota: number;
  };
  /** Parts of a hundred. */
  readonly shares: Readonly<Record<PersonaName, number>>;
  readonly characters: Readonly<Record<PersonaName, Character>>;
  /** Possible harvests, in quotas. */
  readonly harvests: readonly number[];
  readonly dimensions: number;
  readonly cost: { readonly mean: number; readonly deviation: number };
  readonly price: number;
  readonly level: { readonly least: number; readonly most: number };
  readonly noise: number;
  /** Minimum quality of sound work, and minimum match of the tasks that a cooperative agent takes. */
  readonly sound: number;
  /** Emergent: peers observed per round, and the probability that one of them detects a lie. */
  readonly peers: number;
  readonly lieFound: number;
  /** Probability that a reviewer detects unsound work. */
  readonly reviewerNotices: number;
  /** Cost of a review, as a share of the task's cost. */
  readonly reviewCost: number;
  readonly talkEvery: number;
  /** Maximum number of laws drafted for a ballot; default: eight. */
  readonly drafts?: number;
  /** Share of a belief kept per round, and of trust per outcome. */
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

/** Scaling of the shock's numbers for a city of this size. */
export const shockScale = (agents: number, { shock }: EconomyParameters): number => (agents < shock.from ? agents / 200 : 1);
