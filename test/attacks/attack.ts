/** What an attack is, and what it is about. */
/** AgentCity 4: trust assumptions, security properties, what is not promised; A.7: what a codifier could do to a law. */
export const THREATS = {
  "TA-1": "the wiring of the contracts is as published, the settlement token included",
  "TA-2": "what has economic weight happens on chain, in its order and time",
  "TA-3": "the record of an execution is complete and stays as it was",
  "TA-4": "signatures, hashes and commitments bind what they are about",
  "TA-5": "what runs between two anchors is what was registered",
  "TA-8": "enough adjudicators judge in good faith",
  "SP-1": "nobody calls what is not its own to call",
  "SP-2": "no work skips a stage on its way to money",
  "SP-3": "whatever has economic weight leaves a record nobody can change",
  "SP-4": "the branches act through separate doors",
  "NP-4": "coalitions too small to be detected",
  "NP-6": "a Speaker and a Regulator in one hand",
  M1: "foreign code in a mission",
  M2: "a function without access control",
  M3: "another graph than was voted for",
  M4: "a template without the functions it must have",
  M5: "a hidden branch in a function",
  M6: "parameters within their type that serve one side",
  M7: "a loop somebody else makes long",
  M8: "state written after a call that leaves the contract",
} as const;

export type Threat = keyof typeof THREATS;

export const THEMES = {
  replay: "Replay",
  signatures: "Signatures",
  "front-running": "Going first or last",
  predicates: "Predicates, proofs and evidence",
  reentrancy: "Reentrancy",
  griefing: "Griefing: dust, clocks, freezes, appeals",
  stakes: "Stake that leaves, or was never there",
  tokens: "Tokens with bad habits",
  collusion: "Collusion: sponsors, executors, verifiers, adjudicators",
  clerks: "Clerks outside their envelope",
  law: "The law: its parameters, its code, its doors",
  agreements: "Agreements: the escrow of two parties",
} as const;

export type Theme = keyof typeof THEMES;

export interface Attack {
  readonly id: string;
  readonly theme: Theme;
  /** Of its test in `test/attacks/<theme>.test.ts`: what happens if it succeeds. */
  readonly title: string;
  readonly threats: readonly Threat[];
  /** What the attacker calls. */
  readonly entry: string;
  /** What stands in the way. */
  readonly guard: string;
  /** Under `contracts/`. */
  readonly file: string;
  /** The guard, found exactly once, and what the file says without it. */
  readonly find: string;
  readonly replace: string;
  /** If the attack is not prevented but limited: by what. */
  readonly bound?: string;
}

type Told = Omit<Attack, "id" | "theme">;

/** Numbered in order: what is added goes last. */
export const attacksOf = (theme: Theme, letter: string, attacks: readonly Told[]): Attack[] =>
  attacks.map((attack, index) => ({ id: `${letter}${index + 1}`, theme, ...attack }));
