import { createInterface } from "node:readline";
import type { Judge } from "../adjudication/case.ts";
import { AgentCityError } from "../primitives/errors.ts";

/** A person at this terminal decides; the city signs with the development key of the adjudicator whose turn it is. */
export function personAtTerminal(): Judge {
  let ask: Ask | undefined;
  return {
    simulated: false,
    async decide({ label, mission, reason, quality, risk, excerpt }) {
      ask ??= questions(process.stdin, process.stderr);
      process.stderr.write(`\n${excerpt}\n\n`);
      process.stderr.write(`Case: ${label} of ${mission} (${reason}). Quality ${quality.toFixed(2)}, risk ${risk.toFixed(2)}.\n`);
      for (;;) {
        const answer = (await ask("Approve this work? [y/n] ")).trim().toLowerCase();
        if (answer === "y" || answer === "n") {
          const why = await ask("Why? ");
          return { ruling: answer === "y" ? "approve" : "reject", justification: why.trim() || "no reason was given" };
        }
      }
    },
  };
}

type Ask = (question: string) => Promise<string>;

/**
 * Answers line by line. Lines that arrive before their question wait for it, so that answers can be piped in; the input is read
 * only while a question is open, so that it never keeps the process alive. Its end is no answer.
 */
function questions(input: NodeJS.ReadableStream, output: NodeJS.WritableStream): Ask {
  const reader = createInterface({ input, output });
  const lines: string[] = [];
  let ended = false;
  let wake = () => {};
  reader.on("line", (line) => {
    lines.push(line);
    wake();
  });
  reader.on("close", () => {
    ended = true;
    wake();
  });
  return async (question) => {
    if (ended) output.write(question);
    else {
      reader.setPrompt(question);
      reader.prompt();
    }
    while (lines.length === 0) {
      if (ended) throw new NobodyAnswers();
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    if (!ended) reader.pause();
    return lines.shift() ?? "";
  };
}

export class NobodyAnswers extends AgentCityError {
  constructor() {
    super("NobodyAnswers", "The input ended before a person decided", {
      action: "run the same command again: it goes on at this case. Without --ask a labelled simulation decides (devnet only)",
    });
  }
}
