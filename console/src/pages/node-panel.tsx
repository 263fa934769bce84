import { Anchor, Group, Text, Title } from "@mantine/core";
import { useEffect, useRef } from "react";
import { Link } from "react-router";
import { formatMoney } from "../../../orchestrator/primitives/amounts.ts";
import type { NodeView } from "../bundle/view.ts";
import { Quoted } from "../parts/quoted.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import { WhyCleared } from "../parts/why-cleared.tsx";
import { RESULTS, stateWords } from "../parts/words.ts";

/** Why a node cleared or not: who claimed what, on which evidence, what verifiers said, what was decided. */
export function NodePanel({ node }: { readonly node: NodeView }) {
  const { law, end, claims, clearings, humans } = node;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <aside className="panel" aria-labelledby="node">
      <Group justify="space-between">
        <Title order={2} id="node" ref={heading} tabIndex={-1}>
          <Quoted text={law.label} short={60} />
        </Title>
        <Anchor component={Link} to="/law">
          Close
        </Anchor>
      </Group>
      <Text>
        <StateMark state={stateWords(end?.state)} /> {stateWords(end?.state).means}
      </Text>
      <WhyCleared claims={claims} clearings={clearings} />
      {(end?.failures ?? []).map((failure) => (
        <Text key={failure.attempt}>
          Attempt {failure.attempt} failed: <Quoted text={failure.words} />
        </Text>
      ))}
      {humans.map((human) => (
        <Text key={`${human.adjudicator}${human.action}`}>
          <strong>Human:</strong> {human.adjudicator} {human.action}
          {human.simulated && " (simulated: nobody was asked)"}. <Quoted text={human.because} />
        </Text>
      ))}
      <div className="wide">
        <table>
          <caption>Executors</caption>
          <thead>
            <tr>
              <th scope="col">Who</th>
              <th scope="col">Service</th>
              <th scope="col">What became of it</th>
              <th scope="col" className="amount">
                Paid
              </th>
            </tr>
          </thead>
          <tbody>
            {(end?.executors ?? []).map((executor) => (
              <tr key={`${executor.agent}${executor.attempt}${executor.service}`}>
                <th scope="row">
                  <Quoted text={executor.agent} short={42} />
                </th>
                <td>
                  <Quoted text={executor.service} short={60} />
                </td>
                <td>
                  {RESULTS[executor.result]}
                  {executor.fault !== null && (
                    <>
                      : <Quoted text={executor.fault} short={200} />
                    </>
                  )}
                  {executor.slashed !== "0" && `; ${formatMoney(BigInt(executor.slashed))} of its stake was taken`}
                </td>
                <td className="amount">{formatMoney(BigInt(executor.paid))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </aside>
  );
}
