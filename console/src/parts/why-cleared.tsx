import { Text, Title } from "@mantine/core";
import type { ClaimView, ClearingView } from "../../../orchestrator/execution/work-in-words.ts";
import { Quoted } from "./quoted.tsx";
import { CLASSES, DECISIONS, percent, QUESTIONS, VERDICTS } from "./words.ts";

interface WhyClearedProps {
  readonly claims: readonly ClaimView[];
  readonly clearings: readonly ClearingView[];
  /** Display name of a party. */
  readonly nameOf?: (id: string) => string;
}

/** From claim to decision, by attempt: claims, evidence, verdicts, result. */
export function WhyCleared({ claims, clearings, nameOf = (id) => id }: WhyClearedProps) {
  const attempts = [...new Set([...claims, ...clearings].map(({ attempt }) => attempt))].sort((a, b) => a - b);
  return (
    <>
      {attempts.length === 0 && <Text>No one claimed work here, and nothing was decided.</Text>}
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
                      {nameOf(claim.by)}: “<Quoted text={claim.says} short={200} />” {nameOf(claim.checkedBy)} found it{" "}
                      <strong>{claim.status}</strong> ({claim.method})
                    </li>
                  ))}
              </ul>
            </li>
            {clearings
              .filter((each) => each.attempt === attempt)
              .map((clearing) => (
                <Clearing key={clearing.attempt} clearing={clearing} nameOf={nameOf} />
              ))}
          </ol>
        </section>
      ))}
    </>
  );
}

function kindInWords({ kind, passed, failed, silent }: ClearingView["kinds"][number]): string {
  return kind === "human" ? "a human, who signs for himself" : `${kind} (${passed} passed it, ${failed} failed it, ${silent} silent)`;
}

function Clearing({ clearing, nameOf }: { readonly clearing: ClearingView; readonly nameOf: (id: string) => string }) {
  const asked = (["performance", "policy"] as const).filter((question) => clearing[question] !== "not_asked");
  return (
    <>
      <li>
        <strong>Evidence.</strong> The law requires at least {clearing.floor}, {CLASSES[clearing.floor]}.
        <ul>
          {clearing.items.map((item) => (
            <li key={item.id}>
              <strong>{item.evidenceClass}</strong>, {CLASSES[item.evidenceClass]}: {item.type} by {nameOf(item.by)}
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
                    {nameOf(verdict.by)}: <strong>{VERDICTS[verdict.verdict] ?? verdict.verdict}</strong>, {percent(verdict.confidence)}{" "}
                    sure
                    {question === "performance" && verdict.kinds.length > 0 && (
                      <ul>
                        {verdict.kinds.map(({ kind, verdict: found, score, model }) => (
                          <li key={kind}>
                            {kind}: <strong>{VERDICTS[found] ?? found}</strong>
                            {found === "PASS" && `, ${percent(score)}`}
                            {model !== null && ` (${model})`}
                          </li>
                        ))}
                      </ul>
                    )}
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
        {clearing.kinds.length > 0 && `The law requires ${clearing.kinds.map(kindInWords).join("; ")}. `}
        It rests on {clearing.basis}, {clearing.floorMet ? "which is at least" : "which is not"} what the law requires ({clearing.floor}).
        {clearing.missing.length > 0 && ` Missing: ${clearing.missing.join(", ")}.`}
      </li>
    </>
  );
}
