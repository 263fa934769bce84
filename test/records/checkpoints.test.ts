import { Annotation, Command, END, interrupt, Send, START, StateGraph } from "@langchain/langgraph";
import { expect } from "chai";
import { openCheckpointer } from "../../orchestrator/records/checkpoints.ts";
import { type Database, openDatabase } from "../../orchestrator/records/database.ts";
import { cache } from "../support/cache.ts";

const State = Annotation.Root({
  seen: Annotation<string[]>({ reducer: (a, b) => [...a, ...b], default: () => [] }),
});

describe("LangGraph's checkpoints in the city's database", () => {
  let database: Database;
  before(async () => {
    database = await openDatabase({ cache });
  });
  after(() => database.close());

  it("resume an interrupted session in another checkpointer, without running a finished node again", async () => {
    const ran: string[] = [];
    const compile = async () =>
      new StateGraph(State)
        .addNode("fan", async () => ({ seen: [ran.push("fan") > 0 ? "fan" : ""] }))
        .addNode("vote", async ({ seen }) => ({ seen: [`vote:${seen.join()}`] }))
        .addNode("ask", async () => ({ seen: [String(interrupt("approve?"))] }))
        .addEdge(START, "fan")
        .addConditionalEdges("fan", () => ["a", "b", "c"].map((name) => new Send("vote", { seen: [name] })))
        .addEdge("vote", "ask")
        .addEdge("ask", END)
        .compile({ checkpointer: await openCheckpointer(database) });
    const config = { configurable: { thread_id: "session-1" }, durability: "sync" } as const;

    await (await compile()).invoke({ seen: [] }, config);
    const resumed = await (await compile()).invoke(new Command({ resume: "yes" }), config);
    expect(resumed.seen).to.deep.equal(["fan", "vote:a", "vote:b", "vote:c", "yes"]);
    expect(ran).to.deep.equal(["fan"]);

    const saver = await openCheckpointer(database);
    await saver.deleteThread("session-1");
    expect(await saver.getTuple(config)).to.equal(undefined);
  });
});
