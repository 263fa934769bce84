/** The invariants of the law that any calls in any order must leave standing: data of the tests, the mutants and docs/invariants.md. */
export interface Invariant {
  /** Numbers of the design; 3 is short for "invariant 3" everywhere. */
  readonly number: number;
  readonly statement: string;
}

export const INVARIANTS: readonly Invariant[] = [
  { number: 1, statement: "output released ⇒ gate released ∧ all nodes completed" },
  { number: 2, statement: "a node past WAITING ⇒ its predecessors completed" },
  { number: 3, statement: "frozen by whoever watches ⇒ frozen or failed on chain, and nothing is accepted from it" },
  { number: 4, statement: "completed ⇒ cleared by its panel, approved by a human, or a mission of its own that completed" },
  { number: 5, statement: "verification begun ⇒ the trail root of every counted slot is on chain" },
  { number: 6, statement: "entitlement ⇒ class(basis) ⪰ floor" },
  { number: 7, statement: "payout ⇒ appeal window over ∧ no open appeal" },
  { number: 8, statement: "deposit = paid + fees + insurance + discount + refunded + held; held ≥ entitled + refundable" },
  { number: 9, statement: "base + fees ≤ price ≤ task budget" },
  {
    number: 10,
    statement:
      "treasury, legislature, stake pools: token balance = sum of claims, each account's credit as paid to it; no pool commits more than it has",
  },
  { number: 11, statement: "locked ≤ held, Σ held = tokens; a slash conserves every unit" },
  { number: 12, statement: "Σ budgets of nodes ≤ deposit, what a node's children have or kept ≤ its budget" },
  { number: 13, statement: "one ballot per agent per session, and it stays as cast" },
  { number: 14, statement: "nᵢⱼ + nⱼᵢ = ballots, each as counted from the rankings" },
  { number: 15, statement: "approved ⇒ turnout ≥ quorum ∧ sponsors ≥ minimum, of two principals ∧ no bloc awaits its ruling" },
  { number: 16, statement: "deployed parameters = approved parameters" },
  { number: 17, statement: "parameters always in range" },
  { number: 18, statement: "no producer or clerk can write foundational or meta state" },
  { number: 19, statement: "no branch can call another branch's mutations" },
  { number: 23, statement: "reputation ∈ [0, 1000], written by execution and adjudication only" },
  { number: 24, statement: "every order by signature is taken once, on one chain, by one contract" },
  { number: 25, statement: "award ⇒ fair ∨ below threshold ∨ waived with its event" },
  {
    number: 26,
    statement: "banned or frozen agents, and those below the floor when a session opened or a bid is made, neither vote nor bid",
  },
  { number: 27, statement: "stopped ⇒ nothing is routed" },
  { number: 29, statement: "fewer than two thirds of the seats strike one voter, or a tenth of them, within nine days" },
];

export const titleOf = ({ number, statement }: Invariant): string => `invariant ${number}: ${statement}`;
