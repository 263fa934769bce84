/** What the world should look like, folded from what happened: the memory against which the invariants compare the contracts. */
import { type LawNode, lawNode } from "../../orchestrator/rules/law-codec.ts";
import { amount, type Happening, number, paymentsOf, text } from "./chronicle.ts";
import type { NamedBill } from "./world.ts";

export interface GhostSession {
  sponsor: string;
  readonly electorate: bigint;
  /** Packed `MissionParams`, and the whole table, as they were when it opened. */
  readonly params: bigint;
  readonly rules: ReadonlyMap<number, bigint>;
  /** Agents below the floor of that day, which have no part in it. */
  readonly poor: ReadonlySet<string>;
  /** By candidate. */
  readonly specs: Map<number, string>;
  readonly sponsors: Map<number, Set<string>>;
  readonly ballots: Map<string, bigint>;
  /** Voters shown to rank alike, and how many of them adjudicators let vote. */
  readonly flagged: Set<string>;
  cleared: number;
  entries: number;
  winner: number;
}

export interface GhostAgent {
  readonly principal: string;
  kind: number;
  held: bigint;
  locked: bigint;
  reputation: bigint;
  banned: boolean;
}

export interface Due {
  readonly attempt: number;
  readonly agent: string;
  paid: bigint;
  readonly recordedAt: bigint;
  claimed: boolean;
}

export interface GhostAppeal {
  readonly attempt: number;
  readonly until: bigint;
  open: boolean;
}

export interface GhostNode {
  readonly law: LawNode;
  attempt: number;
  frozen: boolean;
  vetoed: boolean;
  /** By `attempt/slot`. */
  readonly trails: Map<string, string>;
  readonly claims: Map<string, bigint>;
  readonly prices: Map<string, bigint>;
  readonly executors: Map<string, string>;
  /** By `attempt/slot`: who has an item in a basis that reaches the floor, by our own count. */
  readonly vouched: Set<string>;
  /** Attempts with an entitlement. */
  readonly recorded: Set<number>;
  readonly dues: Map<number, Due>;
  readonly appeals: GhostAppeal[];
}

export interface GhostMission {
  readonly address: string;
  readonly session: bigint;
  readonly bill: NamedBill;
  readonly nodes: GhostNode[];
  readonly bidders: Set<string>;
  /** Assignments by principal. */
  readonly assigned: Map<string, number>;
  outputReleased: boolean;
  /** By an emergency, for a while; by humans, for good. */
  stopped: boolean;
  terminated: boolean;
  /** Nodes that were missions of their own at some time. */
  readonly delegated: Set<number>;
  /** Budgets of recorded and delegated nodes: what is owed, paid, lent or returned while a mission runs comes out of these. */
  recorded: bigint;
  paid: bigint;
  /** What children gave back, until it is booked. */
  home: bigint;
}

export class Ghost {
  readonly sessions = new Map<bigint, GhostSession>();
  readonly missions = new Map<string, GhostMission>();
  readonly agents = new Map<string, GhostAgent>();
  readonly frozenPrincipals = new Set<string>();
  /** Parents of the sessions that nodes opened. */
  readonly children = new Map<bigint, string>();
  /** Number of stake pools, and what stands for bids: amounts by pool and place. */
  pools = 0n;
  readonly covers = new Map<string, { readonly pool: bigint; amount: bigint }>();
  /** What the vault owes, by account. */
  readonly credits = new Map<string, bigint>();
  readonly params = new Map<number, bigint>();
  /** Voters that adjudicators' orders struck, and when. */
  readonly strikes: { readonly at: bigint; readonly voters: bigint }[] = [];
  /** Parameters set since somebody last compared them. */
  readonly changed = new Set<number>();
  /** What they may issue, as bitmaps over `EvidenceClass`, and for whom they stand. */
  readonly issuers = new Map<string, { readonly classes: number; readonly principal: string }>();
  readonly #bills: readonly NamedBill[];

  constructor(bills: readonly NamedBill[]) {
    this.#bills = bills;
  }

  fold(event: Happening): void {
    const folds: Readonly<Record<string, ((event: Happening) => void) | undefined>> =
      event.at === "MISSION" ? this.#onMission : event.at === "LEGISLATION" ? this.#onLegislation : this.#onCity;
    folds[event.name]?.(event);
  }

  session(id: bigint): GhostSession {
    return known(this.sessions.get(id), `session ${id}`);
  }

  mission(address: string): GhostMission {
    return known(this.missions.get(address), `mission ${address}`);
  }

  node(event: Happening): GhostNode {
    return known(this.mission(event.address).nodes[number(event, "node")], `node ${text(event, "node")}`);
  }

  agent(address: string): GhostAgent {
    return known(this.agents.get(address), `agent ${address}`);
  }

  /** Banned, frozen or among `poor` (invariant 26); leaving is another matter. */
  isOutcast(address: string, poor: ReadonlySet<string> = this.#poor()): boolean {
    const agent = this.agents.get(address);
    return agent === undefined || agent.banned || this.frozenPrincipals.has(agent.principal) || poor.has(address);
  }

  /** Agents below the reputation floor now. */
  #poor(): ReadonlySet<string> {
    const floor = this.param("REPUTATION_FLOOR");
    return new Set([...this.agents].flatMap(([address, { reputation }]) => (reputation / 1000n < floor ? [address] : [])));
  }

  param(name: keyof typeof NEEDED): bigint {
    return known(this.params.get(NEEDED[name]), name);
  }

  readonly #onLegislation: Record<string, (event: Happening) => void> = {
    SessionOpened: (e) =>
      this.sessions.set(amount(e, "session"), {
        sponsor: text(e, "sponsor"),
        electorate: amount(e, "electorate"),
        params: amount(e, "params"),
        rules: new Map(this.params),
        poor: this.#poor(),
        specs: new Map(),
        sponsors: new Map(),
        ballots: new Map(),
        flagged: new Set(),
        cleared: 0,
        entries: 0,
        winner: 0,
      }),
    SessionAdopted: (e) => {
      this.#session(e).sponsor = text(e, "sponsor");
    },
    ChildSessionOpened: (e) => {
      this.children.set(amount(e, "session"), text(e, "parent"));
    },
    BlocFlagged: (e) => {
      const session = this.#session(e);
      for (const agent of [text(e, "leader"), ...e.args["members"]]) session.flagged.add(String(agent));
    },
    BlocRuled: (e) => {
      if (e.args["released"]) this.#session(e).cleared = this.#session(e).flagged.size;
    },
    DepositWithdrawn: (e) => this.#bringHome(amount(e, "session"), amount(e, "amount")),
    Proposed: (e) => this.#session(e).specs.set(number(e, "candidate"), text(e, "specHash")),
    Sponsored: (e) => {
      const { sponsors } = this.#session(e);
      const candidate = number(e, "candidate");
      sponsors.set(candidate, (sponsors.get(candidate) ?? new Set()).add(text(e, "agent")));
    },
    VotingOpened: (e) => {
      this.#session(e).entries = [...e.args["candidates"]].length;
    },
    BallotCast: (e) => this.#session(e).ballots.set(text(e, "agent"), amount(e, "ranking")),
    Tallied: (e) => {
      this.#session(e).winner = number(e, "winner");
    },
    Approved: (e) => {
      const bill = known(
        this.#bills.find(({ specHash }) => specHash === text(e, "specHash")),
        "bill",
      );
      const address = text(e, "mission");
      const nodes = bill.nodes.map((_, index) => newNode(lawNode(bill.law, index)));
      this.missions.set(address, {
        address,
        session: amount(e, "session"),
        bill,
        nodes,
        bidders: new Set(),
        assigned: new Map(),
        outputReleased: false,
        stopped: false,
        terminated: false,
        delegated: new Set(),
        recorded: 0n,
        paid: 0n,
        home: 0n,
      });
    },
  };

  readonly #onMission: Record<string, (event: Happening) => void> = {
    ExecutorBound: (e) => {
      this.node(e).prices.set(place(e), amount(e, "price"));
      this.node(e).executors.set(place(e), text(e, "agent"));
    },
    NodeStateChanged: (e) => {
      const node = this.node(e);
      if (number(e, "to") === FAILED) node.frozen = false;
      node.attempt = number(e, "attempt");
    },
    Revealed: (e) => {
      this.node(e).trails.set(place(e), text(e, "trailRoot"));
      this.node(e).claims.set(place(e), amount(e, "classes"));
    },
    GateDecided: (e) => {
      this.node(e).vetoed = !e.args["allowed"];
    },
    OutputDecided: (e) => {
      this.mission(e.address).outputReleased = Boolean(e.args["allowed"]);
    },
    NodeFrozen: (e) => {
      this.node(e).frozen = true;
    },
    NodeAmended: (e) => {
      this.node(e).frozen = false;
    },
    NodeUnfrozen: (e) => {
      this.node(e).frozen = false;
    },
    Recorded: (e) => {
      const node = this.node(e);
      const mission = this.mission(e.address);
      if (!node.recorded.has(node.attempt)) mission.recorded += node.law.budget;
      node.recorded.add(node.attempt);
      const due = { attempt: node.attempt, agent: text(e, "agent"), paid: amount(e, "paid"), recordedAt: e.timestamp, claimed: false };
      node.dues.set(number(e, "slot"), due);
    },
    Claimed: (e) => {
      const mission = this.mission(e.address);
      const { executors, verifiers } = paymentsOf(e);
      for (const { verifier, amount: fee } of verifiers) this.#credit(verifier, fee);
      for (const { node, slot, agent, paid, premium } of executors) {
        this.#credit(agent, paid + premium);
        mission.paid += paid;
        const due = mission.nodes[node]?.dues.get(slot);
        if (due !== undefined) due.claimed = true;
      }
    },
    Reopened: (e) => {
      this.node(e).attempt = number(e, "attempt");
    },
    AppealFiled: (e) => {
      const node = this.node(e);
      const { rules } = this.session(this.mission(e.address).session);
      const review = known(rules.get(NEEDED.MAX_HUMAN_REVIEW_TIMEOUT), "review");
      node.appeals.push({ attempt: number(e, "attempt"), until: e.timestamp + 2n * review, open: true });
    },
    BondReturned: (e) => {
      this.#credit(text(e, "appellant"), amount(e, "bond"));
      for (const appeal of this.node(e).appeals) if (appeal.until <= e.timestamp) appeal.open = false;
    },
    AppealResolved: (e) => {
      for (const appeal of this.node(e).appeals) if (appeal.attempt === number(e, "attempt")) appeal.open = false;
    },
    Reassessed: (e) => {
      const due = this.node(e).dues.get(number(e, "slot"));
      if (due !== undefined) due.paid = amount(e, "paid");
    },
    Refunded: (e) => this.#bringHome(this.mission(e.address).session, amount(e, "amount")),
    ChildOpened: (e) => {
      const mission = this.mission(e.address);
      const node = number(e, "node");
      if (!mission.delegated.has(node)) mission.recorded += this.node(e).law.budget;
      mission.delegated.add(node);
    },
    ChildConcluded: (e) => {
      this.mission(e.address).home -= amount(e, "returned");
    },
    Overridden: (e) => {
      if (number(e, "action") === TERMINATE) this.mission(e.address).terminated = true;
    },
    EmergencyStopped: (e) => {
      this.mission(e.address).stopped = true;
    },
    EmergencyCleared: (e) => {
      this.mission(e.address).stopped = false;
    },
  };

  readonly #onCity: Record<string, (event: Happening) => void> = {
    ParameterSet: (e) => {
      this.params.set(number(e, "param"), amount(e, "value"));
      this.changed.add(number(e, "param"));
    },
    AgentRegistered: (e) => this.#enter(e, number(e, "kind"), amount(e, "stake")),
    AgentEnrolled: (e) => this.#enter(e, number(e, "kind"), 0n),
    AgentBanned: (e) => {
      this.agent(text(e, "agent")).banned = true;
    },
    PrincipalFrozen: (e) => {
      if (e.args["frozen"]) this.frozenPrincipals.add(text(e, "principal"));
      else this.frozenPrincipals.delete(text(e, "principal"));
    },
    ReputationChanged: (e) => {
      this.agent(text(e, "agent")).reputation = amount(e, "current");
    },
    StakeAdded: (e) => {
      this.agent(text(e, "agent")).held += amount(e, "amount");
    },
    StakeLocked: (e) => {
      this.agent(text(e, "agent")).locked += amount(e, "amount");
    },
    StakeReleased: (e) => {
      const agent = this.agent(text(e, "agent"));
      agent.locked = least(agent.locked - amount(e, "amount"), agent.held);
    },
    StakeSlashed: (e) => {
      const agent = this.agent(text(e, "agent"));
      agent.held -= amount(e, "amount");
      agent.locked = least(agent.locked, agent.held);
    },
    Withdrawn: (e) => this.#credit(text(e, "account"), -amount(e, "amount")),
    StakeWithdrawn: (e) => {
      if (e.at === "PRODUCERS") this.agent(text(e, "agent")).held -= amount(e, "amount");
    },
    PoolOpened: () => {
      this.pools += 1n;
    },
    CoverLocked: (e) => this.covers.set(covered(e), { pool: amount(e, "pool"), amount: amount(e, "amount") }),
    CoverReleased: (e) => {
      const cover = this.covers.get(covered(e));
      if (cover !== undefined) cover.amount -= amount(e, "amount");
    },
    IssuerRegistered: (e) => this.issuers.set(text(e, "issuer"), { classes: number(e, "classes"), principal: text(e, "principal") }),
    Revoked: (e) => this.issuers.delete(text(e, "account")),
    BidPlaced: (e) => this.missions.get(text(e, "mission"))?.bidders.add(this.agent(text(e, "agent")).principal),
    Awarded: (e) => {
      const { assigned } = this.mission(text(e, "mission"));
      const { principal } = this.agent(text(e, "agent"));
      assigned.set(principal, (assigned.get(principal) ?? 0) + 1);
    },
  };

  /** Money of a child's that goes back to the mission above. */
  #credit(account: string, sum: bigint): void {
    this.credits.set(account, (this.credits.get(account) ?? 0n) + sum);
  }

  #bringHome(session: bigint, sum: bigint): void {
    const parent = this.missions.get(this.children.get(session) ?? "");
    if (parent !== undefined) parent.home += sum;
  }

  #session(event: Happening): GhostSession {
    return this.session(amount(event, "session"));
  }

  #enter(event: Happening, kind: number, held: bigint): void {
    const principal = text(event, "principal");
    this.agents.set(text(event, "agent"), { principal, kind, held, locked: 0n, reputation: 500_000n, banned: false });
  }
}

/** Positions in `enum Param`. */
const NEEDED = {
  REPUTATION_FLOOR: 13,
  MAX_HUMAN_REVIEW_TIMEOUT: 10,
  MIN_FAIRNESS_SCORE: 17,
  TURNOUT_QUORUM: 46,
  MIN_SPONSORS: 47,
  CRITICAL_BLOC_SHARE: 52,
} as const;
export const PARAM = NEEDED;
const FAILED = 7;
/** Position in `enum Action`. */
const TERMINATE = 3;

const covered = (event: Happening): string => `${text(event, "mission")}/${text(event, "node")}/${text(event, "agent")}`;
const place = (event: Happening): string => `${text(event, "attempt")}/${text(event, "slot")}`;
const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);

function known<Value>(value: Value | undefined, what: string): Value {
  if (value === undefined) throw new Error(`the ghost knows no ${what}`);
  return value;
}

const newNode = (law: LawNode): GhostNode => ({
  law,
  attempt: 0,
  frozen: false,
  vetoed: false,
  trails: new Map(),
  claims: new Map(),
  prices: new Map(),
  executors: new Map(),
  vouched: new Set(),
  recorded: new Set(),
  dues: new Map(),
  appeals: [],
});
