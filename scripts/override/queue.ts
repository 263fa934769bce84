import { inOneLine, queueOf } from "../../orchestrator/city/humans/case-queue.ts";
import { type OfficeOptions, openOffice } from "./office.ts";

/** Lists the cases that wait for adjudicators. */
export async function queue(options: OfficeOptions & { readonly json?: boolean }): Promise<void> {
  const office = await openOffice(options);
  try {
    const cases = await queueOf(office);
    if (options.json === true) {
      process.stdout.write(`${JSON.stringify({ cases: cases.map(({ name, current, subject }) => ({ name, current, ...subject })) })}\n`);
      return;
    }
    process.stdout.write(cases.length === 0 ? "nothing waits for adjudicators\n" : `${cases.map(inOneLine).join("\n")}\n`);
  } finally {
    await office.close();
  }
}
