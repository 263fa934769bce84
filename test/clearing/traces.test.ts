/** What an MCP runner and an A2A agent recorded, as evidence: earned classes, and whoever leaves something out. */
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/server";
import { expect } from "chai";
import { z } from "zod";
import { bindObligation } from "../../orchestrator/clearing/bind.ts";
import { deployment } from "../../orchestrator/clearing/deployment.ts";
import { type EvidenceItem, emitted, sealEnvelope } from "../../orchestrator/clearing/evidence-envelope.ts";
import { ingest } from "../../orchestrator/clearing/ingest.ts";
import { signObligation } from "../../orchestrator/clearing/obligation.ts";
import { hashOf, refOf } from "../../orchestrator/clearing/seal.ts";
import {
  noFailedCalls,
  TASK_REPORT,
  TOOL_TRACE,
  type ToolCall,
  taskReport,
  toolsWithin,
  toolTrace,
} from "../../orchestrator/clearing/traces.ts";
import { constraintVerifier, equals } from "../../orchestrator/clearing/verifiers/constraint.ts";
import { runVerifier } from "../../orchestrator/clearing/verifiers/verifier.ts";
import { castOf } from "../../scripts/clearing/cast.ts";
import { granted } from "../../scripts/clearing/scenario.ts";

const { signers, registry } = castOf("traces", {
  buyer: { principal: "buyer" },
  agent: { principal: "agent" },
  runner: { principal: "tool-house", issues: ["REC"] },
  "own-runner": { principal: "agent", issues: ["REC"] },
  checker: { principal: "mesh", role: "constraint" },
});
const world = deployment(registry);
const obligation = granted(
  bindObligation(
    signObligation(
      {
        obligation_id: hashOf({ traces: 1 }),
        parties: { requestor: "buyer", provider: "agent" },
        ...{ task: {}, scope: {}, prohibitions: [], required_actions: [], acceptance_criteria: [] },
        admissibility_floors: { fee_release: "REC" },
        verifier_policy: { verifiers: ["checker"], count: 1, questions: ["performance"] },
        economic_terms: { fee: 100, collateral: 0, currency: "USD" },
        deadlines: { execution_window_hours: 1, appeal_window_hours: 1 },
      },
      { requestor: signers.buyer, provider: signers.agent },
    ),
    world,
  ),
);
const AT = "2026-05-01T00:00:00Z";
const signedBy = (by: "runner" | "own-runner" | "agent", artifact: ReturnType<typeof toolTrace>, claimed = "REC") =>
  emitted(obligation.obligation_hash, artifact, { signer: signers[by], class: claimed, issuedAt: AT });
const admitted = (items: readonly EvidenceItem[]) =>
  granted(
    ingest(
      sealEnvelope(signers.agent, { obligation_hash: obligation.obligation_hash, submitted_at: "2026-05-01T00:10:00Z", items: [...items] }),
      obligation,
      world,
    ),
  );
const found = async (items: readonly EvidenceItem[], rules: Parameters<typeof constraintVerifier>[0]["rules"]) => {
  const envelope = admitted(items);
  const verifier = constraintVerifier({ signer: signers.checker, answers: [{ question: "performance" }], rules });
  return (await runVerifier(verifier, { obligation, envelope, admissibility: world.admissibility })).verdict;
};

describe("traces of other protocols", () => {
  /** Calls of a server in this process, by the protocol's own client. */
  const calls: ToolCall[] = [];
  before(async () => {
    const server = new McpServer({ name: "shop", version: "1" });
    const price = z.object({ item: z.string() });
    server.registerTool("price", { inputSchema: price, outputSchema: z.object({ cents: z.number() }) }, async () => ({
      content: [{ type: "text", text: "4500" }],
      structuredContent: { cents: 4_500 },
    }));
    server.registerTool("order", { inputSchema: price }, async ({ item }) => ({
      content: [{ type: "text", text: `no ${item} here` }],
      isError: item === "unicorn",
    }));
    const [near, far] = InMemoryTransport.createLinkedPair();
    const client = new Client({ name: "agent", version: "1" });
    await Promise.all([server.connect(far), client.connect(near)]);
    for (const request of [
      { name: "price", arguments: { item: "charger" } },
      { name: "order", arguments: { item: "charger" } },
      { name: "order", arguments: { item: "unicorn" } },
    ])
      calls.push({ request, result: JSON.parse(JSON.stringify(await client.callTool(request))) });
    await client.close();
    await server.close();
  });
  const trace = (of: readonly ToolCall[] = calls) => toolTrace("trace", { session: "run-1", calls: of });

  it("carry what the protocol's client sent and received", () => {
    expect(trace().content["calls"]).to.deep.equal([
      { tool: "price", arguments: { item: "charger" }, result: { cents: 4_500 }, is_error: false },
      { tool: "order", arguments: { item: "charger" }, result: [{ type: "text", text: "no charger here" }], is_error: false },
      { tool: "order", arguments: { item: "unicorn" }, result: [{ type: "text", text: "no unicorn here" }], is_error: true },
    ]);
    expect(() => toolTrace("x", { session: "run-1", calls: [{ request: { name: "" }, result: {} }] })).to.throw("tool calls");
  });

  it("are worth what their runner is: a third party's REC, and nothing of the actor's own house", () => {
    const classesOf = (items: readonly EvidenceItem[]) => {
      const { items: kept, refusals } = admitted(items);
      return [[...kept.values()].map((item) => item.class), refusals.map(({ guard }) => guard)];
    };
    expect(classesOf([signedBy("runner", trace())])).to.deep.equal([["REC"], []]);
    expect(classesOf([signedBy("own-runner", trace())])).to.deep.equal([[], ["INTERESTED_ISSUER"]]);
    expect(classesOf([signedBy("agent", trace(), "SIGN")])[0]).to.deep.equal(["SIGN"]);
  });

  it("cannot be shortened by whoever hands them in: the run is signed as a whole", () => {
    const whole = signedBy("runner", trace());
    const shorter = trace(calls.slice(0, 2)).content;
    const { items, refusals } = admitted([{ ...whole, content: shorter }]);
    expect([items.size, refusals.map(({ guard }) => guard)]).to.deep.equal([0, ["CONTENT_MISMATCH"]]);
    const relabelled = admitted([{ ...whole, content: shorter, ref: refOf(shorter) }]);
    expect([relabelled.items.size, relabelled.refusals.length]).to.deep.equal([0, 1]);
  });

  it("are compared with the obligation by verifiers: admissible is not sufficient", async () => {
    const rules = (...of: Parameters<typeof constraintVerifier>[0]["rules"][string]) => ({ [TOOL_TRACE]: of });
    const all = [signedBy("runner", trace())];
    expect(await found(all, rules(toolsWithin(["price", "order"])))).to.equal("PASS");
    expect(await found(all, rules(toolsWithin(["price"])))).to.equal("FAIL");
    expect(await found(all, rules(noFailedCalls))).to.equal("FAIL");
    expect(await found([signedBy("runner", trace(calls.slice(0, 2)))], rules(noFailedCalls))).to.equal("PASS");
    expect(await found([signedBy("runner", trace([]))], rules(noFailedCalls)), "a run without calls shows nothing").to.equal("FAIL");
  });

  it("of a delegated task name its state and its artifacts by digest", async () => {
    const parts = [{ content: { $case: "text", value: "done" } }];
    const task = { id: "t-1", contextId: "c-1", status: { state: "TASK_STATE_COMPLETED" }, artifacts: [{ artifactId: "a", parts }] };
    const report = taskReport("task", task);
    expect(report.content).to.deep.equal({
      ...{ task: "t-1", context: "c-1", state: "TASK_STATE_COMPLETED" },
      artifacts: [{ id: "a", digest: refOf(parts) }],
    });
    const rules = { [TASK_REPORT]: [equals("state", "TASK_STATE_COMPLETED")] };
    expect(await found([signedBy("runner", report)], rules)).to.equal("PASS");
    const failed = taskReport("task", { ...task, status: { state: "TASK_STATE_FAILED" } });
    expect(await found([signedBy("runner", failed)], rules)).to.equal("FAIL");
    expect(() => taskReport("x", { ...task, id: "" })).to.throw("task");
  });
});
