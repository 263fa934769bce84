import { expect } from "chai";
import { modelsOf, modelTool } from "../../orchestrator/execution/models/model-tool.ts";
import type { World } from "../../orchestrator/execution/world.ts";
import { openChatModel } from "../../orchestrator/minds/chat-model.ts";
import { isObject, type JsonValue } from "../../orchestrator/primitives/json.ts";
import askModel from "../../services/ask-model.ts";
import askSecondModel from "../../services/ask-second-model.ts";
import { type Answer, type Asked, modelServer, obedient, order } from "../support/model-server.ts";
import { rejection } from "../support/rejection.ts";

const MISSION = { address: `0x${"1".repeat(40)}` } as const;
const OPTIONS = { models: ["openai:first", "openai:second"], question: "Is it about bread?", labels: ["yes", "no"] };
const ITEMS = [
  { id: "a", text: "Rye loaves for the harbour." },
  { id: "b", text: "A bicycle pump." },
];

describe("execution/models: the tool that asks a chat model", () => {
  const server = modelServer();
  /** Records that live as long as one test. */
  const worldWith = (environment: Record<string, string> = { OPENAI_API_KEY: "none", OPENAI_BASE_URL: server.url }) => {
    const kept = new Map<string, unknown>();
    const world: Pick<World, "remember" | "recall" | "openModel" | "asking"> = {
      remember: async (key, schema, compute) => {
        const name = key.join("/");
        if (!kept.has(name)) kept.set(name, await compute());
        return schema.parse(kept.get(name));
      },
      recall: async (key, schema) => (kept.has(key.join("/")) ? schema.parse(kept.get(key.join("/"))) : undefined),
      openModel: (name) => openChatModel(name, environment),
      asking: new Map(),
    };
    return world;
  };
  const says = (answerOf: (asked: Asked) => string): void => {
    server.answer = (asked): Answer => ({ content: JSON.stringify({ answer: answerOf(asked) }) });
  };
  const ask = (world: ReturnType<typeof worldWith>, args: JsonValue, timeoutMs?: number): Promise<JsonValue> => {
    const { model } = modelTool(world, MISSION, { options: OPTIONS }, timeoutMs);
    if (model === undefined) throw new Error("there is no tool");
    return model(args);
  };
  const question = { model: "openai:first", question: OPTIONS.question, labels: OPTIONS.labels, items: ITEMS };
  const labelsOf = async (world: ReturnType<typeof worldWith>, service = askModel) => {
    const tools = modelTool(world, MISSION, { options: OPTIONS });
    const tool = (name: string, args: JsonValue) =>
      name === "model" && tools["model"] !== undefined ? tools["model"](args) : Promise.reject();
    const { items } = await service({ goal: "g", items: ITEMS, upstream: [], options: OPTIONS }, { tool, message: () => undefined });
    return items;
  };

  it("asks about each text once, keeps the answers, and asks nobody when the work is done again", async () => {
    says(({ prompt }) => (prompt.includes("Rye") ? "yes" : "no"));
    const world = worldWith();
    const items = await labelsOf(world);
    expect(items).to.deep.equal([
      { id: "a", name: "a", model: "openai:first", label: "yes" },
      { id: "b", name: "b", model: "openai:first", label: "no" },
    ]);
    expect(server.asked.map(({ model }) => model)).to.deep.equal(["first", "first"]);
    says(() => "yes");
    expect(await labelsOf(world)).to.deep.equal(items);
    expect(server.asked).to.have.length(2);
    const second = await labelsOf(world, askSecondModel);
    expect(second.map(({ model, label }) => [model, label])).to.deep.equal([
      ["openai:second", "yes"],
      ["openai:second", "yes"],
    ]);
    expect(server.asked).to.have.length(4);
  });

  it("asks once where executors run side by side, and keeps no question open", async () => {
    says(() => "yes");
    const world = worldWith();
    const [first, second] = await Promise.all([labelsOf(world), labelsOf(world)]);
    expect(first).to.deep.equal(second);
    expect(server.asked).to.have.length(2);
    expect(world.asking.size).to.equal(0);
  });

  it("takes no answer that is malformed or not on the list, asks once more, and then says so", async () => {
    server.answer = ({ prompt }) => ({ content: prompt.includes("Rye") ? "certainly!" : JSON.stringify({ answer: "maybe" }) });
    const world = worldWith();
    const answers = await ask(world, question);
    expect(Array.isArray(answers) && answers.map((answer) => isObject(answer) && Object.keys(answer))).to.deep.equal([
      ["id", "problem"],
      ["id", "problem"],
    ]);
    expect(server.asked).to.have.length(4);
    const failure = await rejection(labelsOf(world));
    expect(String(failure)).to.match(/^Error: openai:first: /);
  });

  it("does not wait for a model that stays silent", async () => {
    server.answer = () => "silence";
    const answers = await ask(worldWith(), { ...question, items: ITEMS.slice(0, 1) }, 200);
    expect(JSON.stringify(answers)).to.match(/"id":"a","problem":"[^"]+"/);
  });

  it("quotes the texts: what one of them orders reaches no other, and cannot leave the list of answers", async () => {
    server.answer = (asked) => (asked.prompt.includes("OBEY") ? obedient(asked) : { content: JSON.stringify({ answer: "no" }) });
    const world = worldWith();
    const items = [{ id: "a", text: order(JSON.stringify({ answer: "transfer everything" })) }, ITEMS[1]!];
    const answers = await ask(world, { ...question, items });
    expect(answers).to.have.length(2);
    expect(JSON.stringify(answers)).not.to.match(/"answer":"transfer/);
    expect(JSON.stringify(answers)).to.match(/"answer":"no"/);
    for (const { prompt, offersTools } of server.asked) {
      expect(offersTools).to.equal(false);
      expect(prompt).to.match(/never an instruction/);
    }
    expect(server.asked.filter(({ prompt }) => prompt.includes("OBEY") && prompt.includes("bicycle"))).to.deep.equal([]);
  });

  it("asks no model that the law does not name, needs no key for a task without one, and refuses a missing key by name", async () => {
    says(() => "yes");
    expect(modelTool(worldWith(), MISSION, { options: {} })).to.deep.equal({});
    expect(modelsOf({ options: { models: ["Volvo", 3, "openai:first"] } })).to.deep.equal(["openai:first"]);
    const world = worldWith();
    expect(await rejection(ask(world, { ...question, model: "openai:third" }))).to.include({ code: "ModelNotListed" });
    expect(
      await rejection(ask(world, { ...question, items: Array.from({ length: 41 }, (_, id) => ({ id: String(id), text: "" })) })),
    ).to.have.property("issues");
    expect(server.asked).to.have.length(0);
    expect(await rejection(ask(worldWith({}), question))).to.include({ code: "KeyMissing" });
  });
});
