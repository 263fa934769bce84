import { useEffect, useRef, useState } from "react";
import type { Act, Case, Order, Page } from "../city/answers.ts";
import { ask } from "../city/gateway.ts";
import { short } from "../parts/words.ts";

/** An item that left the queue while this page was open. */
export interface Gone {
  readonly key: string;
  readonly title: string;
  readonly because: string;
}

/** Kept on the page, newest first. */
const MOST = 5;

interface Waiting {
  readonly key: string;
  readonly title: string;
  readonly deadline: number | null;
  readonly isOf: (act: Act) => boolean;
}

const ofCase = ({ name, label, reason, kind, deadline, mission, node }: Case): Waiting => ({
  key: name,
  title: label === null ? name : `${label}: ${reason ?? kind}`,
  deadline,
  isOf: (act) => mission !== null && act.mission.toLowerCase() === mission.toLowerCase() && (node === null || act.node === node),
});

const ofOrder = ({ digest, action, deadline }: Order): Waiting => ({
  key: digest,
  title: action,
  deadline,
  isOf: (act) => act.digest === digest,
});

/** Why it left: an act of the panel, its deadline, or the mission that continued without it. */
async function whyGone({ deadline, isOf }: Waiting, asOf: number): Promise<string> {
  const { items } = await ask<Page<Act>>("/v1/acts", { newest: true, limit: 20 });
  const act = items.find(isOf);
  if (act !== undefined) return `${act.action} by ${act.adjudicators.map(short).join(" and ")}`;
  return deadline !== null && deadline <= asOf ? "its time ran out" : "withdrawn: its subject continued without it";
}

/** Items that left the queue while the page was open, with reasons. */
export function useGone(cases: readonly Case[] | undefined, orders: readonly Order[] | undefined, asOf: number): readonly Gone[] {
  const before = useRef(new Map<string, Waiting>());
  const [gone, setGone] = useState<readonly Gone[]>([]);
  useEffect(() => {
    if (cases === undefined || orders === undefined) return;
    const waiting = [...cases.filter(({ isCurrent }) => isCurrent).map(ofCase), ...orders.map(ofOrder)];
    const now = new Map(waiting.map((each) => [each.key, each]));
    const left = [...before.current.values()].filter(({ key }) => !now.has(key));
    before.current = now;
    for (const each of left)
      void whyGone(each, asOf)
        .catch(() => "the city does not state the reason")
        .then((because) =>
          setGone((known) =>
            [{ key: each.key, title: each.title, because }, ...known.filter(({ key }) => key !== each.key)].slice(0, MOST),
          ),
        );
    // An item that waits again has not left.
    setGone((known) => (known.some(({ key }) => now.has(key)) ? known.filter(({ key }) => !now.has(key)) : known));
  }, [cases, orders, asOf]);
  return gone;
}
