import { Text, Title } from "@mantine/core";
import { Link } from "react-router";
import { formatMoney } from "../../../orchestrator/primitives/amounts.ts";
import { sessionTransitions } from "../../../orchestrator/rules/transitions/session.ts";
import type { Condition, Origin, Session } from "../city/answers.ts";
import { useAsked } from "../city/live.tsx";
import { Asked } from "../parts/asked.tsx";
import { sessionWords } from "../parts/words.ts";
import { SessionPush, WaitingFor } from "./mission-waits.tsx";

/** The stages that a session passes when nothing goes wrong. */
const STAGES: readonly string[] = sessionTransitions.states.slice(1, 9);

export function Making({ origin }: { readonly origin: Origin }) {
  const session = useAsked<Session>(`/v1/sessions/${origin.session}`);
  const condition = useAsked<Condition>("/v1/condition");
  return (
    <>
      <Title order={1}>A law is being made</Title>
      <Asked of={session}>
        {({ state, deadline, electorate, ballots, deposit }) => (
          <>
            <Text>
              {electorate} agents may vote, {ballots} did. {formatMoney(BigInt(deposit))} tokens are deposited.{" "}
              <Link to={`/sessions/${origin.session}`}>See how the law comes about</Link>
            </Text>
            <Steps state={state} />
            <WaitingFor
              who={sessionWords(state).means}
              until={deadline === 0 ? undefined : deadline}
              then="the session goes on with what it has, or ends without a law"
              push={<SessionPush session={origin.session} state={state} deadline={deadline} asOf={condition.data?.chain.time ?? 0} />}
            />
          </>
        )}
      </Asked>
    </>
  );
}

export function Steps({ state }: { readonly state: string }) {
  const at = STAGES.indexOf(state);
  return (
    <ol className="stages" aria-label="Stages of the session">
      {STAGES.map((stage, place) => (
        <li
          key={stage}
          data-is={place < at || state === "DEPLOYED" ? "done" : place === at ? "now" : "later"}
          aria-current={place === at ? "step" : undefined}
        >
          {sessionWords(stage).word}
        </li>
      ))}
      {at === -1 && <li data-is="failed">{sessionWords(state).word}</li>}
    </ol>
  );
}
