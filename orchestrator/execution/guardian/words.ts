import type { Halt } from "./freeze-mirror.ts";
import type { WatchTerms } from "./terms.ts";

/** Explains a freeze: what was measured, against what, by how much, and what happens next. */
export function freezeWords({ reason, magnitude }: Pick<Halt, "reason" | "magnitude">, terms: WatchTerms): string {
  return `${MEASURED[reason](magnitude, terms)}. The work has not been judged yet: the node waits until a human releases it, has it redone, or rejects it.`;
}

const MEASURED: Readonly<Record<Halt["reason"], (magnitude: number, terms: WatchTerms) => string>> = {
  DEVIATION: (magnitude, { deviation }) =>
    `the output is unlike this agent's earlier work with this service: by both scorers it lies ${sigmas(magnitude)} standard deviations farther from the mean of that work than is usual (more than ${sigmas(deviation)} freezes it), and an issuer that ran the same code on the same input got another output`,
  TOOL_LIMIT: (magnitude, { tools }) => `the run asked for ${magnitude} tools; the constitution allows ${tools}`,
  MESSAGE_LIMIT: (magnitude, { messages }) => `the run sent ${magnitude} messages; the constitution allows ${messages}`,
};

function sigmas(hundredths: number): string {
  return (hundredths / 100).toFixed(2);
}
