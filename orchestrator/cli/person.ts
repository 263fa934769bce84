import { createInterface } from "node:readline/promises";
import type { Judge } from "../adjudication/case.ts";
import { AgentCityError } from "../primitives/errors.ts";

/** A person at this terminal decides; the city signs with the development key of the adjudicator whose turn it is. */
export function personAtTerminal(): Judge {
  return {
    simulated: false,
    async decide({ label, mission, reason, quality, risk, excerpt }) {
      const terminal = createInterface({ input: process.stdin, output: process.stderr });
      try {
        process.stderr.write(`\n${excerpt}\n\n`);
        process.stderr.write(`Case: ${label} of ${mission} (${reason}). Quality ${quality.toFixed(2)}, risk ${risk.toFixed(2)}.\n`);
        for (;;) {
          const answer = (await question(terminal, "Approve this work? [y/n] ")).trim().toLowerCase();
          if (answer === "y" || answer === "n") {
            const why = await question(terminal, "Why? ");
            return { ruling: answer === "y" ? "approve" : "reject", justification: why.trim() || "no reason was given" };
          }
        }
      } finally {
        terminal.close();
      }
    },
  };
}

/** The input's end is no answer. */
async function question(terminal: ReturnType<typeof createInterface>, text: string): Promise<string> {
  const ended = new Promise<never>((_, reject) => terminal.once("close", () => reject(new NobodyAnswers())));
  return Promise.race([terminal.question(text), ended]);
}

export class NobodyAnswers extends AgentCityError {
  constructor() {
    super("NobodyAnswers", "The input ended before a person decided", {
      action: "run the same command again: it goes on at this case. Without --ask a labelled simulation decides (devnet only)",
    });
  }
}
