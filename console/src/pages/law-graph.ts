import { type StateWords, stateWords } from "../parts/words.ts";

/** A node of a law for drawing: of a bundle, or of a running mission. */
export interface DrawnNode {
  readonly law: {
    readonly number: number;
    readonly label: string;
    readonly task: string;
    readonly after: readonly number[];
    readonly tier: number;
    readonly floor: string;
  };
  readonly end: { readonly state: string; readonly executors: readonly { readonly agent: string; readonly attempt: number }[] } | undefined;
}

/** Above this number of nodes, those of one task are collapsed into one box. */
export const MAX_NODES = 60;

/** A box of the graph: one node of the law, or all of a task. */
export interface Box {
  readonly id: string;
  readonly task: string;
  readonly nodes: readonly DrawnNode[];
  readonly state: StateWords;
  /** `done 60, failed 4`; one word for a single node. */
  readonly words: string;
}

export interface LawGraph {
  readonly boxes: readonly Box[];
  readonly edges: readonly (readonly [from: string, to: string])[];
}

/** The worst state first, so that a group with a failure shows it. */
const GRAVITY: readonly StateWords["look"][] = ["failed", "frozen", "working", "waiting", "done"];

/** The drawn part of a law, with these tasks expanded. */
export function lawGraph(nodes: readonly DrawnNode[], opened: ReadonlySet<string>): LawGraph {
  const tasks = Map.groupBy(nodes, ({ law }) => law.task);
  const isGrouped = (task: string) => nodes.length > MAX_NODES && (tasks.get(task)?.length ?? 0) > 1 && !opened.has(task);
  const idOf = ({ law }: DrawnNode) => (isGrouped(law.task) ? `task ${law.task}` : `node ${law.number}`);
  const boxes = [...Map.groupBy(nodes, idOf)].map(([id, members]): Box => {
    const states = members.map(({ end }) => stateWords(end?.state));
    const counts = Map.groupBy(states, ({ word }) => word);
    const state = GRAVITY.flatMap((look) => states.find((each) => each.look === look) ?? [])[0] ?? stateWords(undefined);
    const words = [...counts].map(([word, all]) => (members.length === 1 ? word : `${all.length} ${word}`)).join(", ");
    return { id, task: members[0]?.law.task ?? "", nodes: members, state, words };
  });
  const byNumber = new Map(nodes.map((node) => [node.law.number, idOf(node)]));
  const edges = new Map<string, readonly [string, string]>();
  for (const node of nodes) {
    for (const before of node.law.after) {
      const [from, to] = [byNumber.get(before), idOf(node)];
      if (from !== undefined && from !== to) edges.set(`${from}→${to}`, [from, to]);
    }
  }
  return { boxes, edges: [...edges.values()] };
}
