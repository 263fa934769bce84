import type { Judge } from "../clearing/mesh.ts";
import { AgentCityError } from "../primitives/errors.ts";
import { field } from "../primitives/values.ts";

/** The package leaves these to whoever wants a model. */
export class ModelsMissing extends AgentCityError {
  constructor(cause: unknown) {
    super("ModelsMissing", "No chat model can be asked here", {
      action: "npm install @langchain/core, and @langchain/openai or @langchain/anthropic, beside this package; or leave --judge out",
      cause,
    });
  }
}

/** A verifier's chat model by its name. What asks it is loaded for this alone. Throws ModelsMissing. */
export async function judgeNamed(name: string, environment: NodeJS.ProcessEnv): Promise<Judge> {
  try {
    const [{ chatJudge }, { openChatModel }] = await Promise.all([import("../minds/chat-judge.ts"), import("../minds/chat-model.ts")]);
    return chatJudge(name, () => openChatModel(name, environment));
  } catch (error) {
    throw field(error, "code") === "ERR_MODULE_NOT_FOUND" ? new ModelsMissing(error) : error;
  }
}
