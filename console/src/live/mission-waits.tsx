import { Button } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { Link } from "react-router";
import type { Case } from "../city/answers.ts";
import { send as post } from "../city/gateway.ts";
import { askAgain, useAsked } from "../city/live.tsx";
import { Problem } from "../parts/asked.tsx";
import { moment } from "../parts/words.ts";
import type { Drawn } from "./mission-nodes.ts";

interface WaitingForProps {
  readonly who: string;
  readonly until: number | undefined;
  readonly then: string;
  /** What anybody may do about it. */
  readonly push?: ReactNode;
}

export function WaitingFor({ who, until, then, push }: WaitingForProps) {
  return (
    <aside className="card" aria-label="Waiting for">
      <strong>Waiting for: {who}</strong>
      <span>
        {until === undefined ? "no clock runs" : `until ${moment(until)} of chain time`}; then {then}.
      </span>
      {push}
    </aside>
  );
}

interface PushProps {
  readonly step: string;
  readonly name: string;
  readonly of: { readonly mission?: string; readonly node?: number; readonly session?: string };
}

/** A step that anybody may send once it is due: the city sends it, and the chain refuses what is not. */
export function Push({ step, name, of }: PushProps) {
  const [problem, setProblem] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const send = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      await post("/v1/pushes", { step, ...of });
      await askAgain();
    } catch (error) {
      setProblem(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Button size="compact-sm" variant="default" loading={isBusy} onClick={() => void send()} data-push={step}>
        {name}
      </Button>
      {problem !== undefined && <Problem error={problem} />}
    </>
  );
}

interface SessionPushProps {
  readonly session: string;
  readonly state: string;
  readonly deadline: number;
  /** Chain time, seconds. */
  readonly asOf: number;
}

/** What anybody may send for a session whose clock ran out: the count of its vote, else its end. */
export function SessionPush({ session, state, deadline, asOf }: SessionPushProps) {
  if (deadline === 0 || deadline >= asOf) return null;
  return state === "VOTING" ? (
    <Push step="tally" name="The vote is over: have it counted" of={{ session }} />
  ) : (
    <Push step="expire" name="Its time is over: have it ended" of={{ session }} />
  );
}

/** Who is waited for, until when, and what happens then. */
interface WaitsProps {
  readonly address: string;
  readonly drawn: readonly Drawn[];
  readonly state: string | undefined;
  /** Chain time, seconds. */
  readonly asOf: number;
  readonly isClosed: boolean;
}

export function Waits({ address, drawn, state, asOf, isClosed }: WaitsProps) {
  const cases = useAsked<{ readonly cases: readonly Case[] }>("/v1/cases");
  const own = (cases.data?.cases ?? []).filter(({ mission, isCurrent }) => isCurrent && mission?.toLowerCase() === address.toLowerCase());
  const working = drawn.filter(({ now }) => now !== undefined && ["EXECUTING", "PENDING_VERIFICATION"].includes(now.state));
  const next = working.toSorted((a, b) => (a.now?.deadline ?? 0) - (b.now?.deadline ?? 0)).at(0);
  if (own.length > 0)
    return (
      <ul className="cards">
        {own.map((each) => (
          <li key={each.name} className="card card-now">
            <strong>Waiting for an adjudicator: {each.label ?? each.name}</strong>
            <Button component={Link} to={`/panel/cases/${each.name}`} size="compact-sm">
              Look and decide
            </Button>
          </li>
        ))}
      </ul>
    );
  if (next?.now !== undefined)
    return (
      <WaitingFor
        who={`${next.now.state === "EXECUTING" ? "the executors" : "the verifiers"} of ${next.law.label}, attempt ${next.now.attempt}`}
        until={next.now.deadline === 0 ? undefined : next.now.deadline}
        then={
          next.now.state === "EXECUTING"
            ? "the attempt fails, and silent executors lose reputation"
            : "a majority of the posted verdicts decides"
        }
        push={
          next.now.deadline > 0 && next.now.deadline < asOf ? (
            <Push step="timeout" name="Its deadline has passed: record it on chain" of={{ mission: address, node: next.law.number }} />
          ) : undefined
        }
      />
    );
  if (state === "COMPLETED")
    return (
      <WaitingFor
        who="no one: after the appeal window anyone can claim what is earned, on its owner's behalf"
        until={undefined}
        then="the mission is closed"
        push={isClosed ? undefined : <Push step="close" name="Close it, if all is claimed" of={{ mission: address }} />}
      />
    );
  return null;
}
