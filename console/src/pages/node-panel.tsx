import { Anchor, Group, Text, Title } from "@mantine/core";
import { useEffect, useRef } from "react";
import { Link } from "react-router";
import { formatMoney } from "../../../orchestrator/primitives/amounts.ts";
import type { ClearingView, NodeView } from "../bundle/view.ts";
import { Quoted } from "../parts/quoted.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import { CLASSES, DECISIONS, percent, QUESTIONS, RESULTS, stateWords, VERDICTS } from "../parts/words.ts";

/** Why a node cleared or not: who claimed what, on which evidence, what verifiers said, what was decided. */
export function NodePanel({ node }: { readonly node: NodeView }) {
  const { law, end, claims, clearings, humans } = node;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const attempts = [...new Set([...claims, ...clearings].map(({ attempt }) => attempt))].sort((a, b) => a - b);
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
      {attempts.length === 0 && <Text>Nobody claimed work here, and nothing was decided.</Text>}
      {attempts.map((attempt) => (
        <section key={attempt} aria-label={`Attempt ${attempt}`}>
          {attempts.length > 1 && <Title order={3}>Attempt {attempt}</Title>}
          <ol className="steps">
            <li>
              <strong>Claimed.</strong>
              <ul>
                {claims
                  .filter((each) => each.attempt === attempt)
                  .map((claim) => (
                    <li key={claim.slot}>
                      {claim.by}: “<Quoted text={claim.says} short={200} />” {claim.checkedBy} found it <strong>{claim.status}</strong> (
                      {claim.method})
                    </li>
                  ))}
              </ul>
            </li>
            {clearings
              .filter((each) => each.attempt === attempt)
              .map((clearing) => (
                <Clearing key={clearing.attempt} clearing={clearing} />
              ))}
          </ol>
        </section>
      ))}
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

function Clearing({ clearing }: { readonly clearing: ClearingView }) {
  const asked = (["performance", "policy"] as const).filter((question) => clearing[question] !== "not_asked");
  return (
    <>
      <li>
        <strong>Evidence.</strong> The law wants at least {clearing.floor}, {CLASSES[clearing.floor]}.
        <ul>
          {clearing.items.map((item) => (
            <li key={item.id}>
              <strong>{item.evidenceClass}</strong>, {CLASSES[item.evidenceClass]}: {item.type} by {item.by}
              {item.counted ? " (the decision rests on it)" : " (not counted)"}
            </li>
          ))}
        </ul>
      </li>
      <li>
        <strong>Verdicts.</strong>
        {asked.map((question) => (
          <div key={question}>
            {QUESTIONS[question]}
            <ul>
              {clearing.verdicts
                .filter((verdict) => verdict.question.includes(question))
                .map((verdict) => (
                  <li key={verdict.by}>
                    {verdict.by}: <strong>{VERDICTS[verdict.verdict] ?? verdict.verdict}</strong>, {percent(verdict.confidence)} sure
                  </li>
                ))}
            </ul>
          </div>
        ))}
      </li>
      <li className="verdict">
        <strong>Decision.</strong>{" "}
        {asked.map((question) => (
          <span key={question}>
            {QUESTIONS[question]} It <strong>{DECISIONS[clearing[question]] ?? clearing[question]}</strong>, at{" "}
            {percent(clearing.confidence[question])} confidence where {percent(clearing.minConfidence)} are needed.{" "}
          </span>
        ))}
        It rests on {clearing.basis}, {clearing.floorMet ? "which is at least" : "which is not"} what the law wants ({clearing.floor}).
        {clearing.missing.length > 0 && ` Missing: ${clearing.missing.join(", ")}.`}
      </li>
    </>
  );
}
