import { Alert, List, Text, Title } from "@mantine/core";
import { formatMoney, grouped } from "../../../orchestrator/primitives/amounts.ts";
import type { Opened } from "../bundle/messages.ts";
import { useBundle } from "../bundle/opened.tsx";
import type { MissionView } from "../bundle/view.ts";
import { Quoted } from "../parts/quoted.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import { WithMission } from "../parts/states.tsx";
import { STATUSES, type StateWords, stateWords } from "../parts/words.ts";

const HOLDS: StateWords = { word: "holds", look: "done", means: "" };
const BROKEN: StateWords = { word: "does not hold", look: "failed", means: "" };
/** Findings listed of one check; the rest are counted. */
const MAX_LISTED = 50;

/** Whether the bundle is valid, and the mission on one screen. */
export function Component() {
  const { state } = useBundle();
  if (state.kind !== "opened") return <WithMission>{() => null}</WithMission>;
  return (
    <>
      <Verdict opened={state} />
      {state.view !== undefined && <Summary view={state.view} />}
      <Checks opened={state} />
    </>
  );
}

function Verdict({ opened: { verification, leftToReplay } }: { readonly opened: Opened }) {
  const { passed, checks } = verification;
  const verified = checks.reduce((sum, check) => sum + check.verified, 0);
  return (
    <section aria-labelledby="verdict">
      <Title order={1} id="verdict">
        {passed ? "The documents are consistent" : "This bundle is not what it claims to be"}
      </Title>
      <Text>
        {grouped(verified)} things were checked in this page.{" "}
        {passed ? "None of them failed." : "Do not rely on it; get it again from its source."}
      </Text>
      <Alert color="blue" variant="outline" title="Blocks were not executed here. Only a replay can tell:" my="md">
        <List size="sm">
          {leftToReplay.map((each) => (
            <List.Item key={each}>{each}</List.Item>
          ))}
        </List>
        <Text size="sm">
          Run it yourself, without network: <code>npm run audit -- &lt;this folder&gt;</code>
        </Text>
      </Alert>
    </section>
  );
}

function Summary({ view: { outcome, nodes, title } }: { readonly view: MissionView }) {
  const done = nodes.filter(({ end }) => end?.state === "COMPLETED").length;
  const other = nodes.filter(({ end }) => end?.state !== "COMPLETED");
  return (
    <section aria-labelledby="summary">
      <Title order={2} id="summary">
        The mission
      </Title>
      <table>
        <tbody>
          <tr>
            <th scope="row">Asked</th>
            <td>
              <Quoted text={outcome.goal} />
            </td>
          </tr>
          <tr>
            <th scope="row">Ended</th>
            <td>
              <StateMark state={STATUSES[outcome.status] ?? stateWords(outcome.status)} />
              {outcome.failure !== null && (
                <>
                  {" "}
                  <Quoted text={outcome.failure.reason} />
                </>
              )}
            </td>
          </tr>
          <tr>
            <th scope="row">Law</th>
            <td>
              <Quoted text={title} />: {outcome.law.candidates.length - 1} candidates, {outcome.ballots.length} ballots
            </td>
          </tr>
          <tr>
            <th scope="row">Work</th>
            <td>
              {done} of {nodes.length} parts done
              {other.length > 0 &&
                `; ${other
                  .map(({ law, end }) => `${law.label} ${stateWords(end?.state).word}`)
                  .slice(0, 5)
                  .join(", ")}`}
            </td>
          </tr>
          <tr>
            <th scope="row">Cost</th>
            <td>
              {formatMoney(BigInt(outcome.total.deposit))} deposited, {formatMoney(BigInt(outcome.total.refunded))} came back
            </td>
          </tr>
          <tr>
            <th scope="row">Humans</th>
            <td>
              {outcome.human.length === 0 && "no one had to decide"}
              {outcome.human.map((each) => (
                <div key={`${each.node}${each.action}${each.adjudicator}`}>
                  {each.adjudicator} {each.action} {each.node}
                  {each.simulated && " (simulated: nobody was asked)"}
                </div>
              ))}
            </td>
          </tr>
          <tr>
            <th scope="row">Last block</th>
            <td className="mono">
              {grouped(outcome.finalBlock.number)} {outcome.finalBlock.hash}
            </td>
          </tr>
        </tbody>
      </table>
    </section>
  );
}

function Checks({ opened: { verification } }: { readonly opened: Opened }) {
  return (
    <section className="wide">
      <table>
        <caption>Checks</caption>
        <thead>
          <tr>
            <th scope="col">Check</th>
            <th scope="col">What</th>
            <th scope="col" className="amount">
              Things
            </th>
            <th scope="col">Result</th>
          </tr>
        </thead>
        <tbody>
          {verification.checks.map(({ name, what, verified, withheld = 0, findings }) => (
            <tr key={name} data-check={name}>
              <th scope="row">{name}</th>
              <td>
                {what}
                {withheld > 0 && <Text size="sm">In part: it needs {grouped(withheld)} files that are withheld from this copy.</Text>}
                {findings.length > 0 && (
                  <ul>
                    {findings.slice(0, MAX_LISTED).map(({ file, subject, problem }) => (
                      <li key={`${file}${subject}${problem}`}>
                        <span className="mono">
                          <Quoted text={file} short={120} />
                        </span>
                        {subject !== file && (
                          <>
                            {" "}
                            · <Quoted text={subject} short={120} />
                          </>
                        )}
                        : <Quoted text={problem} short={300} />
                      </li>
                    ))}
                    {findings.length > MAX_LISTED && <li>and {findings.length - MAX_LISTED} more</li>}
                  </ul>
                )}
              </td>
              <td className="amount">{grouped(verified)}</td>
              <td>
                <StateMark state={findings.length === 0 ? HOLDS : BROKEN} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
