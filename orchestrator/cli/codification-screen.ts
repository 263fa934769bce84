import { codificationTypedData } from "../client/sign/codification.ts";
import { formatMoney } from "../primitives/amounts.ts";
import type { CodificationRequest } from "../protocol/codification-approval.ts";

/** Renders a law for the adjudicator who has to sign it. */
export function lawInWords({ session, specHash, document, until }: CodificationRequest): string {
  const { name, goal, title, risk, budget, duration, nodes, predicates } = document;
  const rules = predicates.map((rule) => (typeof rule === "string" ? rule : `at most ${rule.maxBytes} bytes`));
  return [
    `Session ${session}: "${title}", a law of ${risk} risk for ${name}`,
    `  goal      ${goal}`,
    `  money     ${formatMoney(BigInt(budget))} for ${duration} s`,
    `  output    ${document.output.format} of ${document.output.task}${rules.length === 0 ? "" : `: ${rules.join(", ")}`}`,
    `  audit     compiled and audited again: no manipulation of classes M1–M8`,
    `  spec      ${specHash}`,
    `  until     ${new Date(until * 1_000).toUTCString()} by the chain's clock; a devnet's moves only while something happens on it`,
    "  nodes",
    ...nodes.map(
      (node) =>
        `    ${node.label.padEnd(14)} tier ${node.tier} · ${node.threshold} of ${node.redundancy} agree · evidence ${node.floor} or better · ` +
        `panel of ${node.panelSize} · ${formatMoney(BigInt(node.budget))} · after ${node.after.join(", ") || "nothing"}`,
    ),
  ].join("\n");
}

/** Renders the fields of the EIP-712 message as a wallet does. */
export function messageInWords(request: CodificationRequest, because: string): string {
  const { message, primaryType } = codificationTypedData(request, because);
  return [
    `${primaryType} for ${request.adjudication} on chain ${request.chainId}`,
    ...Object.entries(message).map(([name, value]) => `  ${name.padEnd(14)} ${String(value)}`),
  ].join("\n");
}
