import type { z } from "zod";
import type { World } from "./world.ts";

export interface Question<Value> {
  readonly key: readonly (string | number)[];
  readonly compute: () => Promise<Value>;
}

/**
 * Answers that are computed side by side but recorded in the order given: what the log says must not depend on which process was
 * faster. A run that was interrupted left a prefix of them, so that what follows the first missing answer is missing too.
 */
export async function rememberInOrder<Value>(
  { remember }: Pick<World, "remember">,
  schema: z.ZodType<Value>,
  questions: readonly Question<Value>[],
): Promise<readonly Value[]> {
  const running = new Map<Question<Value>, Promise<Value>>();
  const answers: Value[] = [];
  for (const [index, question] of questions.entries()) {
    const answer = await remember(question.key, schema, () => {
      for (const next of questions.slice(index)) {
        if (running.has(next)) continue;
        const computed = next.compute();
        // Whoever waits for it hears of its failure; until then nobody does.
        computed.catch(() => {});
        running.set(next, computed);
      }
      return running.get(question) ?? question.compute();
    });
    answers.push(answer);
  }
  return answers;
}
