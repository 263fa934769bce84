import { appealLines } from "../../orchestrator/city/humans/case-desk.ts";
import { caseNamed, inOneLine, inPrint } from "../../orchestrator/city/humans/case-queue.ts";
import type { WaitingCase } from "../../orchestrator/protocol/waiting-case.ts";
import { type OfficeOptions, openOffice } from "./office.ts";

/** Shows one case in full: subject, evidence, and possible orders. */
export async function show(name: string, options: OfficeOptions & { readonly json?: boolean }): Promise<void> {
  const office = await openOffice(options);
  try {
    const found = await caseNamed(office, name);
    if (options.json === true) process.stdout.write(`${JSON.stringify({ name, current: found.current, ...found.subject })}\n`);
    else process.stdout.write(`${inOneLine(found)}\n\n${bodyOf(found.subject)}\n\n${nextOf(name, found.subject)}\n`);
  } finally {
    await office.close();
  }
}

function bodyOf(subject: WaitingCase): string {
  if (subject.kind === "review") {
    const rubric = subject.rubric === undefined ? "" : `Judge it by:\n${subject.rubric}\n\n`;
    return `mission ${subject.mission}, node ${subject.node}\n\n${rubric}${subject.excerpt}`;
  }
  if (subject.kind === "appeal") {
    const { mission, node, attempt, appeals, quality, risk, excerpt } = subject;
    const found = `the mesh found quality ${quality.toFixed(2)}, risk ${risk.toFixed(2)}`;
    return `mission ${mission}, node ${node}, attempt ${attempt + 1}; ${found}\n\n${appealLines(appeals).join("\n")}\n\n${excerpt}`;
  }
  if (subject.kind === "petition") {
    const { account, principal, runtime, contact, relations } = subject.petition;
    const { value } = subject;
    return [
      `account    ${account}`,
      `principal  ${principal} is responsible for it`,
      `runtime    ${inPrint(runtime)}`,
      `contact    ${inPrint(contact)}`,
      `relations  ${inPrint(relations)}`,
      `value      ${value}: ${subject.petition.classes === 0 ? "a quarter of the median weight of those who judge here" : "the classes that it asks for"}`,
      "Both signed this statement; no one has verified it.",
    ].join("\n");
  }
  if (subject.kind === "suspension") return [...subject.facts, ...subject.divergences.map((each) => `DIVERGENCE: ${each}`)].join("\n");
  const without = subject.otherwise === null ? "no ballot would be left" : `"${subject.otherwise}" would have won`;
  return [...subject.blocs.map((members) => `voted alike: ${members.join(", ")}`), `"${subject.winner}" won; without them ${without}`].join(
    "\n",
  );
}

function nextOf(name: string, subject: WaitingCase): string {
  const sign = '--as adjudicator-1 --because "…"';
  const order = (word: string) => `npm run override -- ${word} ${name} ${sign}`;
  if (subject.kind === "appeal") {
    const { mission, node, attempt, appeals } = subject;
    const resolve = `npm run override -- resolve ${mission} ${node} --attempt ${attempt + 1} --filed ${appeals.length}`;
    return `${resolve} ${sign}\n${resolve} --uphold 0 --share 50 ${sign}`;
  }
  if (subject.kind === "petition") return order("approve");
  if (subject.kind === "suspension") return order("approve");
  const either = `${order("approve")}\n${order("reject")}`;
  if (subject.kind === "bloc" || subject.reason !== "frozen") return either;
  return `${either}\nnpm run override -- redirect ${subject.mission} ${subject.node} "…" ${sign}`;
}
