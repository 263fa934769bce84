/**
 * A chat model as an oracle of inferences. A hosted model does not repeat itself, so what it leaves is a transcript: an auditor reads what
 * was asked and answered, by which model and when, asks again, and sees both answers (Pramana 2.5). Never evidence of class ATT or PROOF.
 */
import { z } from "zod";
import { InvalidValue } from "../primitives/errors.ts";
import { canonicalBytes, parseJsonBytes } from "../primitives/json.ts";
import type { InferenceOracle } from "./ports.ts";

const askedSchema = z.strictObject({ method: z.string(), premises: z.array(z.string()).readonly(), conclusion: z.string() });
export type Asked = z.infer<typeof askedSchema>;

/** The source of such a check: its digest is what the outcome carries. */
export const transcriptSchema = z.strictObject({
  transcript: z.literal("agentcity/model-oracle@1"),
  /** As its provider names it. */
  model: z.string().min(1).max(200),
  inputs: askedSchema,
  /** Letter for letter. */
  output: z.string().max(20_000),
  asked_at: z.iso.datetime(),
});
export type Transcript = z.infer<typeof transcriptSchema>;

/** A transcript's content; undefined if the bytes are none. */
export function readTranscript(bytes: Uint8Array): Transcript | undefined {
  try {
    return transcriptSchema.parse(parseJsonBytes(bytes));
  } catch {
    return undefined;
  }
}

/** A model behind whatever serves it. The premises are data: whoever words the question keeps them apart from it. */
export interface Model {
  readonly id: string;
  ask(inputs: Asked): Promise<string>;
}

/** Only the first word of an answer counts, and only if it is one of two. Throws InvalidValue for any other answer. */
function verdictIn(output: string): boolean {
  const [word = ""] = /^\W*(\w+)/.exec(output)?.slice(1) ?? [];
  const said = word.toLowerCase();
  if (said !== "yes" && said !== "no")
    throw new InvalidValue("model's answer", "it begins with yes or no", { details: output.slice(0, 80) });
  return said === "yes";
}

/** An oracle that asks a model whether a conclusion follows. `now`: milliseconds since 1970. */
export function modelInference(model: Model, now: () => number): InferenceOracle {
  return {
    id: `model/v1:${model.id}`,
    determinism: "replayable",
    async entails({ method, premises, conclusion }) {
      const inputs = { method, premises: [...premises], conclusion };
      const output = await model.ask(inputs);
      const said: Transcript = {
        transcript: "agentcity/model-oracle@1",
        model: model.id,
        inputs,
        output,
        asked_at: new Date(now()).toISOString(),
      };
      return { holds: verdictIn(output), source: canonicalBytes(transcriptSchema.parse(said)) };
    },
  };
}

/** What asking again shows. */
export interface AskedAgain {
  readonly model: string;
  readonly first: string;
  readonly again: string;
  /** Whether both answers come to the same. */
  readonly agrees: boolean;
}

/** Asks a transcript's question again. Throws if the bytes are no transcript, or of another model. */
export async function askAgain(transcript: Uint8Array, model: Model): Promise<AskedAgain> {
  const { model: id, inputs, output } = transcriptSchema.parse(parseJsonBytes(transcript));
  if (id !== model.id) throw new InvalidValue("model", `the transcript is of ${id}`, { details: model.id });
  const again = await model.ask(inputs);
  return { model: id, first: output, again, agrees: verdictIn(output) === verdictIn(again) };
}
