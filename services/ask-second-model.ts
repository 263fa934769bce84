import type { ServiceAbout } from "./shared/contract.ts";
import { aboutModel, askingModel } from "./shared/model-question.ts";

export const about: ServiceAbout = {
  id: "ask-second-model",
  title: "A second chat model's answer to the same question",
  description:
    "Asks the second chat model of a task's list the same question about each item, so that the answers of different models can be compared.",
  ...aboutModel(1),
};

const askSecondModel = askingModel(1);
export default askSecondModel;
