import type { ServiceAbout } from "./shared/contract.ts";
import { aboutModel, askingModel } from "./shared/model-question.ts";

export const about: ServiceAbout = {
  id: "ask-model",
  title: "A chat model's answer to a question about each item",
  description:
    "Asks a chat model (LLM, GPT, Claude, Llama) a question about each item and takes its answer as the label: classify, judge, summarise or draft by your own question. Only with a model whose key the city has, and only where different models are compared or a human reads the result.",
  ...aboutModel(0),
};

const askModel = askingModel(0);
export default askModel;
