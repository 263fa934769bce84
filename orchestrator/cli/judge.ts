import type { Judge } from "../clearing/mesh.ts";
import { AgentCityError } from "../primitives/errors.ts";
import { field } from "../primitives/values.ts";

/** The package does not install these libraries itself. */
export class ModelsMissing extends AgentCityError {
  constructor(cause: unknown) {
    super("ModelsMissing", "No chat model can be asked here", {
      action: "npm install @langchain/core, and @langchain/openai or @langchain/anthropic, next to this package; or omit --judge",
      cause,
    });
  }
}

/** A verifier's chat model by name. Its client library is loaded only here. Throws ModelsMissing. */
export async function judgeNamed(name: string, environment: NodeJS.ProcessEnv): Promise<Judge> {
  try {
    const [{ chatJudge }, { openChatModel }] = await Promise.all([import("../minds/chat-judge.ts"), import("../minds/chat-model.ts")]);
    return chatJudge(name, () => openChatModel(name, environment));
  } catch (error) {
    throw field(error, "code") === "ERR_MODULE_NOT_FOUND" ? new ModelsMissing(error) : error;
  }
}
