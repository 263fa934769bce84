import type { Visibility } from "./visibility.ts";

/**
 * Who may read what of a mission, in one table: the gateway enforces it, bundles are built by it, and `docs/read-access.md` is generated
 * from it.
 */

/** Relations of a reader to a node of a mission. */
export const READERS = {
  sponsor: "the account that paid for the mission",
  executor: "an agent that the node was awarded to, in any attempt",
  issuer: "an issuer whose evidence about the node's work counts",
  verifier: "a member of the panel that was drawn for the node",
  successor: "an executor of a node that works on this node's output under the law",
  adjudicator: "a seated adjudicator without an interest in the mission, while a case about the node is waiting",
} as const;
export type Reader = keyof typeof READERS;
export const readers = Object.keys(READERS) as readonly Reader[];

/**
 * From when on an object is readable. `over`: once the mission has ended. `revealed`: once no further commitment to the node's attempt is
 * possible, and outputs are shown on chain.
 */
type Moment = "at once" | "revealed" | "over" | "never";

interface Rule {
  readonly what: string;
  readonly everybody: Readonly<Record<Visibility, Moment>>;
  readonly readers: readonly Reader[];
  /** For these readers. */
  readonly from: Moment;
}

const ALL_AT_ONCE = { public: "at once", parties: "at once" } as const;
const PARTIES_ALONE = { public: "over", parties: "never" } as const;
const AT_THE_NODE = ["sponsor", "executor", "issuer", "verifier", "adjudicator"] as const satisfies readonly Reader[];

export const READ_ACCESS = {
  law: {
    what: "the law with its goal, drafts, debate, ballots; whatever is on chain",
    everybody: ALL_AT_ONCE,
    readers: [],
    from: "at once",
  },
  verdict: {
    what: "how work was judged and paid: claims, evidence, clearings, settlements, faults by name; hashes of all that is withheld",
    everybody: { public: "over", parties: "over" },
    readers: AT_THE_NODE,
    from: "revealed",
  },
  items: {
    what: "a node's input: its items, and pages and models' answers that were fetched for the mission",
    everybody: PARTIES_ALONE,
    readers: AT_THE_NODE,
    from: "at once",
  },
  output: {
    what: "what executors handed in, and what the node passes on",
    everybody: PARTIES_ALONE,
    readers: [...AT_THE_NODE, "successor"],
    from: "revealed",
  },
  report: { what: "the report, and the outcome with its differing answers", everybody: PARTIES_ALONE, readers: ["sponsor"], from: "over" },
  bundle: { what: "the whole bundle, with the mission file", everybody: PARTIES_ALONE, readers: ["sponsor"], from: "over" },
} as const satisfies Readonly<Record<string, Rule>>;
export type ReadObject = keyof typeof READ_ACCESS;
export const readObjects = Object.keys(READ_ACCESS) as readonly ReadObject[];

/** Progress of a mission and of a node in it. */
export interface Progress {
  readonly isOver: boolean;
  readonly isRevealed: boolean;
}

function hasCome(moment: Moment, { isOver, isRevealed }: Progress): boolean {
  return moment === "at once" || (moment === "over" && isOver) || (moment === "revealed" && (isRevealed || isOver));
}

/** Whether the public may read it. */
export function isForEverybody(object: ReadObject, visibility: Visibility, progress: Progress): boolean {
  return hasCome(READ_ACCESS[object].everybody[visibility], progress);
}

/** Whether a reader with these relations to the node may read it. */
export function mayRead(object: ReadObject, visibility: Visibility, progress: Progress, as: Iterable<Reader>): boolean {
  if (isForEverybody(object, visibility, progress)) return true;
  const { readers: allowed, from }: Rule = READ_ACCESS[object];
  return hasCome(from, progress) && [...as].some((reader) => allowed.includes(reader));
}

/** Records that show how work was judged without containing any of it. */
const VERDICTS: ReadonlySet<string> = new Set(
  [
    ...["allowed", "backing", "checkpoint", "claim", "clearing", "divergence", "evidence", "exit", "fault", "finality"],
    ...["gate", "halt", "held"],
    ...["left-out", "live", "obligation", "override", "passports", "posted", "reconciled", "refused", "released", "sealed"],
    ...["branch", "refutations", "settlement", "suspended", "terms", "trace", "unshown", "watch", "wave"],
  ].map((kind) => `execution.${kind}`),
);
const INPUTS: ReadonlySet<string> = new Set(["execution.page", "execution.model"]);

/** The read object of a log record, by its kind. Unlisted kinds of execution records count as work, for the parties alone. */
export function objectOfRecord(kind: string): ReadObject {
  if (!kind.startsWith("execution.")) return "law";
  if (VERDICTS.has(kind)) return "verdict";
  return INPUTS.has(kind) ? "items" : "output";
}
