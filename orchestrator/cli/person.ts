import { createInterface } from "node:readline";
import type { Judges } from "../adjudication/judges.ts";
import { appealLines } from "../city/humans/case-desk.ts";
import { AgentCityError } from "../primitives/errors.ts";
import { plainText } from "../primitives/plain-text.ts";

/** A person at this terminal decides; the city signs with the development keys of the adjudicators in turn. */
export function personAtTerminal(): Judges {
  let reader: Ask | undefined;
  /** The first question opens the input. */
  const ask: Ask = (question) => {
    reader ??= questions(process.stdin, process.stderr);
    return reader(question);
  };
  const reason = async () => (await ask("Why? ")).trim() || "no reason was given";
  /** Asks a yes-or-no question and the reason. */
  const decide = async (question: string) => {
    for (;;) {
      const answer = (await ask(`${question} [y/n] `)).trim().toLowerCase();
      if (answer !== "y" && answer !== "n") continue;
      return { yes: answer === "y", justification: await reason() };
    }
  };
  /** 0–1. */
  const percent = async (question: string): Promise<number> => {
    for (;;) {
      const answer = (await ask(`${question} [0–100] `)).trim();
      if (/^\d{1,3}$/.test(answer) && Number(answer) <= 100) return Number(answer) / 100;
    }
  };
  return {
    simulated: false,
    async decide({ label, mission, reason: cause, quality, risk, rubric, excerpt }) {
      process.stderr.write(`\n${plainText(excerpt)}\n\n`);
      if (rubric !== undefined) process.stderr.write(`Judge it by:\n${plainText(rubric)}\n\n`);
      process.stderr.write(`Case: ${label} of ${mission} (${cause}). Quality ${quality.toFixed(2)}, risk ${risk.toFixed(2)}.\n`);
      if (cause === "frozen") {
        const mandate = (await ask("An amended mandate, if its executors should redo the work (or nothing): ")).trim();
        if (mandate !== "") return { ruling: "amend", mandate, justification: await reason() };
      }
      const { yes, justification } = await decide("Approve this work?");
      return { ruling: yes ? "approve" : "reject", justification };
    },
    async decideAppeal({ label, mission, attempt, appeals, quality, risk, excerpt }) {
      process.stderr.write(`\n${excerpt}\n\nAppeals on attempt ${attempt + 1} of ${label} of ${mission}:\n`);
      for (const line of appealLines(appeals)) process.stderr.write(`${line}\n`);
      process.stderr.write(`The verifiers found quality ${quality.toFixed(2)}, risk ${risk.toFixed(2)}.\n`);
      const { yes, justification } = await decide("Uphold them?");
      const share = yes ? await percent("What share of the price is earned, in per cent?") : 0;
      return { upheld: yes ? [...appeals.keys()] : [], share, slash: 0n, culprits: [], justification };
    },
    async decideResumption({ mission, cause, facts, divergences }) {
      process.stderr.write(`\nMission ${mission} is suspended (${cause}).\n`);
      for (const line of [...facts, ...divergences.map((each) => `DIVERGENCE: ${each}`)]) process.stderr.write(`${line}\n`);
      const { yes, justification } = await decide("Resume it?");
      return { resume: yes, justification };
    },
    async decideBloc({ session, blocs, flagged, ballots, winner, otherwise }) {
      for (const bloc of blocs) process.stderr.write(`\nThese voted alike: ${bloc.join(", ")}\n`);
      process.stderr.write(
        `Session ${session}: ${flagged} of ${ballots} voters are flagged. "${winner}" won; without them ${otherwise === undefined ? "there would be no ballots" : `"${otherwise}"`}.\n`,
      );
      const { yes, justification } = await decide("Let the vote stand?");
      return { release: yes, justification };
    },
  };
}

type Ask = (question: string) => Promise<string>;

/**
 * Reads answers line by line. Lines that arrive before their question are kept, so that answers can be piped in; the input is read only
 * while a question is open, so that it never keeps the process alive. End of input means no answer.
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
      action:
        "run the same command again to continue at this case, or replace --ask with --simulate-humans to let a labelled simulation decide (devnet only)",
    });
  }
}
