import type { ServiceAbout } from "./shared/contract.ts";
import { aboutModel, askingModel } from "./shared/model-question.ts";

export const about: ServiceAbout = {
  id: "ask-third-model",
  title: "A third chat model's answer to the same question",
  description:
    "Asks the third chat model of a task's list the same question about each item, so that two of three different models have to agree.",
  ...aboutModel(2),
};

const askThirdModel = askingModel(2);
export default askThirdModel;
