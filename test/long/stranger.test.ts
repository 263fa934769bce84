import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { privateKeyToAddress } from "viem/accounts";
import { z } from "zod";
import { simulatedJudge } from "../../orchestrator/adjudication/simulated-judge.ts";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { type OpenSeats, openSeats } from "../../orchestrator/city/missions/open-seats.ts";
import { runToEnd } from "../../orchestrator/city/missions/run.ts";
import { readInput } from "../../orchestrator/execution/inputs/read-input.ts";
import { keccak256 } from "../../orchestrator/primitives/hash.ts";
import type { Address } from "../../orchestrator/primitives/hex.ts";
import { parseMissionFile } from "../../orchestrator/protocol/mission-file.ts";
import type { Outcome } from "../../orchestrator/protocol/outcome.ts";
import { root } from "../../scripts/dev/files.ts";
import { CATALOG } from "../../services/catalog.ts";
import { expectChangesFound } from "../city/audit/changed-calls.ts";
import { cache } from "../support/cache.ts";
import { openHome } from "../support/city-home.ts";
import { modelServer } from "../support/model-server.ts";
import { type Program, programs } from "../support/programs.ts";
import { CALM_ROWS, smallInputs, smallMission } from "../support/small-mission.ts";
import { strangersFolder } from "../support/stranger.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const secretOf = (name: string) => keccak256(new TextEncoder().encode(name));
const millis = () => performance.timeOrigin + performance.now();
/** Milliseconds in which a newcomer is registered and answers, and in which it is paid. */
const TO_ANSWERING = 60_000;
const TO_PAID = 180_000;

/** Agents as strangers run them: from the installed package, in processes of their own, in a city that lives in this one. */
describe("a stranger with the package", function () {
  this.timeout(290_000);
  const directory = suiteDirectory();
  const run = programs();
  const model = modelServer();
  let stranger = "";
  let city: City;
  let seats: OpenSeats;

  const start = (command: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    run(command, { cwd: stranger, env: { ...process.env, ...env } });

  /** Milliseconds from its start until it answers. */
  async function answering(agent: Program): Promise<number> {
    await agent.heard(/answering as/);
    return millis() - agent.begun;
  }

  async function missionIn(id: string): Promise<Outcome> {
    const text = smallMission(smallInputs(directory(), CALM_ROWS).csv);
    const file = parseMissionFile(text, { fileName: "mission.yaml", catalog: CATALOG, budgetCap: 10n ** 15n });
    const order = { file, catalog: CATALOG, input: readInput(file.input, directory()), id, judge: simulatedJudge(city.chain.id) };
    return runToEnd(city, { ...order, outsiders: await seats.outsiders() }, text, join(directory(), "home"));
  }

  const slotsOf = (outcome: Outcome, agent: Address) =>
    outcome.nodes.flatMap(({ executors }) => executors).filter((each) => each.agent === agent);

  before(async () => {
    stranger = await strangersFolder(directory());
    city = await openHome(join(directory(), "home"), "7");
    const wait = (time: number, signal: AbortSignal) => sleep(time, undefined, { signal }).catch(() => undefined);
    seats = await openSeats(city, { clock: { millis, wait }, patience: 4 });
  });
  after(async () => {
    await seats?.close();
    await city?.close();
  });

  it("runs examples/agent.ts, does its work in its own way, and is paid", async () => {
    const keys = { AGENT_KEY: secretOf("the example's agent"), OWNER_KEY: secretOf("the example's owner") };
    const agent = start(["agent.ts", seats.url], keys);
    expect(await answering(agent)).to.be.below(TO_ANSWERING);
    const outcome = await missionIn("example");
    const paid = millis() - agent.begun;
    agent.child.kill("SIGTERM");
    await agent.ended;
    expect(outcome.failure, agent.said).to.equal(null);
    const slots = slotsOf(outcome, privateKeyToAddress(keys.AGENT_KEY));
    expect(
      slots.filter((slot) => slot.result === "agreed" && BigInt(slot.paid) > 0n),
      agent.said,
    ).to.not.have.length(0);
    expect(paid).to.be.below(TO_PAID);
    const bundle = join(directory(), "home", outcome.bundle ?? "");
    expect((await auditBundle(bundle)).passed).to.equal(true);
    const kinds = await expectChangesFound(bundle, ["bid", "pledge", "open", "sign"]);
    expect([...kinds]).to.include.members(["bid", "perform", "pledge", "open", "seal", "sign"]);
  });

  it("has examples/agent.ts in at most twenty lines", () => {
    const code = readFileSync(join(stranger, "agent.ts"), "utf8").replace(/\/\*\*.*?\*\//s, "");
    expect(code.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("//"))).to.have.lengthOf.at.most(20);
  });

  it("runs examples/agent-with-a-model.ts: a chat model's estimates are compared with others', and paid", async () => {
    // A model that reads what it is asked: the middle of each row's numbers.
    const rows = z.array(z.looseObject({ id: z.string(), values: z.record(z.string(), z.number()) }));
    model.answer = ({ prompt }) => {
      const items = rows.parse(JSON.parse(prompt.slice(prompt.indexOf("\n") + 1)));
      const estimates = items.map(({ id, values }) => ({ id, name: id, value: Object.values(values).sort((a, b) => a - b)[1] ?? 0 }));
      return { content: JSON.stringify({ items: estimates }) };
    };
    const keys = { AGENT_KEY: secretOf("the model's agent"), OWNER_KEY: secretOf("the model's owner") };
    const agent = start(["agent-with-a-model.ts", seats.url], { ...keys, MODEL_URL: model.url, MODEL: "test" });
    await answering(agent);
    const outcome = await missionIn("with a model");
    agent.child.kill("SIGTERM");
    await agent.ended;
    expect(outcome.failure, agent.said).to.equal(null);
    expect(model.asked.map(({ model: name }) => name)).to.include("test");
    const slots = slotsOf(outcome, privateKeyToAddress(keys.AGENT_KEY));
    expect(
      slots.filter((slot) => slot.result === "agreed" && BigInt(slot.paid) > 0n),
      agent.said,
    ).to.not.have.length(0);
  });

  it("tests an agent in a city of its own, and asks another version what the first was asked", async () => {
    const file = join(directory(), "mission.yaml");
    writeFileSync(file, smallMission(smallInputs(directory(), CALM_ROWS).csv));
    const test = start(["test-an-agent.ts", file], { AGENTCITY_CHECKOUT: root, AGENTCITY_CACHE: cache });
    await test.ended;
    expect(test.said).to.match(/^completed, audited, [1-9]\d* slots, [1-9]\d* units earned$/m);
    expect(test.said).to.match(/^the same version: 0 of [1-9]\d* decisions differ$/m);
    expect(test.said).to.match(/^another version: ([1-9]\d*) of \1 decisions differ$/m);
  });

  it("needs three commands with the program: make keys, ask what is missing, run", async () => {
    const program = join(stranger, "node_modules/agentcity/program.js");
    const made = start([program, "agent", "init", "--folder", "mine"]);
    await made.ended;
    expect(made.said).to.match(/^AGENT {3}0x[0-9a-fA-F]{40}\nOWNER {3}0x/);
    const again = start([program, "agent", "init", "--folder", "mine"]);
    await again.ended;
    expect(again.said).to.include("AgentExists");

    const own = [program, "agent", "--folder", "mine", "--city", seats.url];
    const before = start([...own, "doctor"]);
    await before.ended;
    expect(before.said, before.said).to.include("MISSING  registration: not registered");
    expect(before.said).to.include("ok       clock:");

    const agent = start([...own, "--sells", "fetch-and-parse,estimate-by-pert,estimate-by-median"]);
    expect(await answering(agent)).to.be.below(TO_ANSWERING);
    expect(agent.said).to.include("registered: 0x");
    for (const [action, words] of [
      ["doctor", "ok       registration:"],
      ["status", "NOT EARNING   reputation 500, 0 offers, 0 slots won"],
    ] as const) {
      const answer = start([...own, action]);
      await answer.ended;
      expect(answer.said).to.include(words);
      expect(answer.said.match(/MISSING.*/)?.[0]).to.equal(undefined);
    }

    // Two more, and it has made another of the same owner.
    const below = start([program, "agent", "init", "--folder", "second", "--creator", "mine"]);
    await below.ended;
    expect(below.said).to.match(/^AGENT {3}0x[0-9a-fA-F]{40}\nCREATOR mine/);
    const second = start([program, "agent", "--folder", "second", "--creator", "mine", "--city", seats.url, "--sells", "sort"]);
    await answering(second);
    expect(second.said).to.include(/registered: 0x\w{40} answers for it/.exec(agent.said)?.[0]);
    for (const each of [agent, second]) {
      each.child.kill("SIGTERM");
      await each.ended;
    }
  });
});
