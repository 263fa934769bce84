import type { ChainNode, Law, LawNode } from "../city/answers.ts";
import { short } from "../parts/words.ts";

export interface Drawn {
  readonly law: LawNode;
  readonly now: ChainNode | undefined;
  readonly end: { readonly state: string; readonly executors: readonly { readonly agent: string; readonly attempt: number }[] };
}

/** Whether a part failed, is frozen, or was begun again after an attempt that failed. */
export const hasFailed = ({ now }: Drawn): boolean => now !== undefined && (["FAILED", "FROZEN"].includes(now.state) || now.attempt > 1);

export const ENDED: readonly string[] = ["COMPLETED", "FAILED", "ABORTED"];

export function together(law: Law | undefined, nodes: readonly ChainNode[] | undefined): readonly Drawn[] {
  return (law?.nodes ?? []).map((each) => {
    const now = nodes?.find(({ number }) => number === each.number);
    const executors = (now?.executors ?? []).map(({ agent }) => ({ agent: short(agent), attempt: now?.attempt ?? 1 }));
    return { law: each, now, end: { state: now?.state ?? "WAITING", executors } };
  });
}
