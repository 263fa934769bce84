import type { ChatModels } from "../../minds/ask-model.ts";
import { openChatModel } from "../../minds/chat-model.ts";
import { ChatModelMind } from "../../minds/chat-model-mind.ts";
import { HeuristicMind } from "../../minds/heuristic-mind.ts";
import type { Mind } from "../../minds/mind.ts";
import { type Persona, personaNames } from "../../minds/personas.ts";
import { TokenBudget } from "../../minds/token-budget.ts";
import type { Seed } from "../../primitives/random.ts";
import type { MissionFile } from "../../protocol/mission-file.ts";
import type { City } from "../city.ts";
import { membersOf } from "../founding/society.ts";

/** Makes one producer's mind. A heuristic mind takes all its choices from the seed; a model takes none. */
export type MindMaker = (seat: { readonly persona: Persona; readonly seed: Seed }) => Mind;

const heuristic: MindMaker = (seat) => new HeuristicMind(seat);

/** One mind per producer; its persona depends on its position, its choices on the seed of the city or, if given, of the mission. */
export function mindsOf(city: City, { seed: own }: MissionFile, make: MindMaker = heuristic): ReadonlyMap<string, Mind> {
  const seed = own === null ? city.seed : `${city.seed}/${own}`;
  return new Map(
    membersOf(city.society, "producer").map(({ name }, index) => {
      const persona = personaNames[index % personaNames.length] ?? "cooperative";
      return [name, make({ persona, seed })];
    }),
  );
}

/** Token budget of one producer's model per mission, questions and answers. */
const TOKENS_PER_MISSION = 200_000;
const ANSWER_TIMEOUT_MS = 60_000;

/** Minds that ask the named chat model and, when it fails, the other one. Throws at once when a name or its key is missing. */
export async function chatMinds(
  model: string,
  fallback: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<MindMaker> {
  const models: ChatModels = {
    primary: await openChatModel(model, environment),
    fallback: fallback === undefined ? undefined : await openChatModel(fallback, environment),
    timeoutMs: ANSWER_TIMEOUT_MS,
  };
  return ({ persona }) => new ChatModelMind({ models, persona, budget: new TokenBudget(TOKENS_PER_MISSION) });
}
