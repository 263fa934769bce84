import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { privateKeyToAddress } from "viem/accounts";
import { z } from "zod";
import { devnetSociety, membersOf } from "../../orchestrator/city/founding/society.ts";
import { keccak256 } from "../../orchestrator/primitives/hash.ts";
import type { Hex } from "../../orchestrator/primitives/hex.ts";
import { type Outcome, outcomeSchema } from "../../orchestrator/protocol/outcome.ts";
import { cache } from "../support/cache.ts";
import { executedSchema, PROGRAM, PROJECT, runCli, signedSchema } from "../support/cli.ts";
import { writeKeystore } from "../support/keystore.ts";
import { type MailboxProxy, serveProxy } from "../support/mailbox-proxy.ts";
import { type Program, programs } from "../support/programs.ts";
import { CALM_ROWS, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const secretOf = (name: string) => keccak256(new TextEncoder().encode(name));
const PASSWORD = "correct horse";
/** Three owners' agents: one is killed and comes back, one never does its work, one is asked for something else first. */
const AGENTS = ["killed", "silent", "deceived"] as const;
type Name = (typeof AGENTS)[number];
const keyOf = (name: string) => secretOf(`six processes: ${name}`);
const addressOf = (name: string) => privateKeyToAddress(keyOf(name));

/** Owners who stand next to each other where bidders take turns (`minds/offers.ts`), so that the three win one node together. */
function owners(): Readonly<Record<Name, Hex>> {
  const local = devnetSociety();
  const names = new Set(membersOf(local, "producer").map(({ principal }) => principal));
  const [, , third = "", last = ""] = membersOf(local, "principal")
    .flatMap(({ name, account }) => (names.has(name) ? [account.address] : []))
    .sort();
  const found: Hex[] = [];
  for (let at = 0; found.length < AGENTS.length; at += 1) {
    const key = secretOf(`an owner ${at}`);
    const address = privateKeyToAddress(key);
    if (third < address && address < last) found.push(key);
  }
  const [silent = "0x", deceived = "0x", killed = "0x"] = found.sort((a, b) => (privateKeyToAddress(a) < privateKeyToAddress(b) ? -1 : 1));
  return { killed, silent, deceived };
}

type Start = ReturnType<typeof programs>;

interface Demonstration {
  readonly outcome: Outcome;
  readonly audited: boolean;
  /** The agent that was killed. */
  readonly cameBack: boolean;
  readonly proxy: MailboxProxy;
  readonly log: string;
}

/** A city, agents of three owners, a verifier and an issuer, each a process; and a sponsor's, which pays, waits and audits. */
async function demonstrate(directory: string, delay: number, start: Start): Promise<Demonstration> {
  mkdirSync(directory, { recursive: true });
  const at = (...parts: string[]) => join(directory, ...parts);
  const run = (home: string, args: readonly string[]) =>
    start([join(PROJECT, PROGRAM), ...args], { env: { ...process.env, AGENTCITY_HOME: at(home), AGENTCITY_CACHE: cache } });
  writeFileSync(at("password"), `${PASSWORD}\n`);
  const city = run("city", ["city", "--embedded", "--port", "0", "--open", "0", "--simulate-humans", "--seed", "7", "--json"]);
  const { url, seats } = z.object({ url: z.url(), seats: z.url() }).parse(JSON.parse(await city.heard(/^\{.*\}$/m)));

  const agents = new Map<Name, Program>();
  const proxy = await serveProxy({
    ...{ target: seats, seed: "six processes", delay },
    deceives: [addressOf("deceived")],
    // It is asked, and never moves again.
    onCall: ({ to, kind }) => {
      if (to === addressOf("silent") && kind === "perform") agents.get("silent")?.child.kill("SIGSTOP");
    },
  });
  /** Without delays only what somebody looks into goes by another way. */
  const way = (name: string) => (delay > 0 || name === "silent" || name === "deceived" ? proxy.url : seats);
  const keys = (name: string, owner: Hex) => [
    "--key",
    writeKeystore(at(`${name}.json`), keyOf(name), PASSWORD),
    "--principal",
    writeKeystore(at(`${name}-owner.json`), owner, PASSWORD),
    "--password-file",
    at("password"),
  ];
  const ownerOf = owners();
  const estimates = "estimate-by-pert,estimate-by-triangle,estimate-by-median";
  const sells = (name: Name) => (name === "silent" ? estimates : `fetch-and-parse,${estimates},aggregate`);
  const agent = (name: Name) => {
    const running = run(name, ["agent", "--city", way(name), ...keys(name, ownerOf[name]), "--sells", sells(name)]);
    agents.set(name, running);
    return running;
  };
  // One after the other: their order on chain is the same each time.
  for (const name of AGENTS) await agent(name).heard(/answering as/);

  const offices = new Map<string, Program>();
  for (const office of ["verifier", "issuer"]) {
    const running = run(office, [
      ...[office, "--city", way(office), ...keys(office, secretOf(`owner of the ${office}`)), "--contact", "ops@example.org"],
      ...(office === "issuer" ? ["--weak-sandbox"] : []),
    ]);
    offices.set(office, running);
    const petition = await running.heard(/petition-\w+-[0-9a-f]{40}/);
    const override = async (...args: readonly string[]) =>
      JSON.parse((await runCli(["override", ...args, "--json"], { home: at("city") })).stdout);
    const approved = await override("approve", petition, "--as", "adjudicator-1", "--because", "known to us");
    const { file } = signedSchema.parse(approved);
    await override("sign-only", file, "--as", "adjudicator-2");
    executedSchema.parse(await override("relay", file));
    await running.heard(/answering as/);
  }

  const killed = async () => {
    const first = agents.get("killed") ?? city;
    await first.heard(/answered perform/);
    first.child.kill("SIGKILL");
    await first.ended;
    await agent("killed").heard(/answering as/);
  };
  const comesBack = killed().then(
    () => true,
    () => false,
  );
  writeFileSync(
    at("mission.yaml"),
    smallMission(smallInputs(directory, CALM_ROWS).csv, { risk: "MEDIUM", deadline: "2d", budget: "600.00" }),
  );
  const sponsor = ["--key", writeKeystore(at("sponsor.json"), keyOf("sponsor"), PASSWORD), "--password-file", at("password")];
  const given = await runCli(["mission", at("mission.yaml"), "--city", url, ...sponsor, "--json"], {
    ...{ home: at("sponsor"), limitMs: 400_000 },
  });
  const all = [["city", city] as const, ...agents, ...offices].map(([name, { said }]) => `--- ${name}\n${said}`);
  const log = `${all.join("\n")}\n--- sponsor\n${given.stderr}\n${given.stdout}`;
  for (const { child } of [...agents.values(), ...offices.values()]) child.kill("SIGKILL");
  city.child.kill("SIGTERM");
  await city.ended;
  await proxy.close();
  const [bundle = "none"] = readdirSync(at("sponsor/missions"));
  return {
    ...{ proxy, log, cameBack: await comesBack },
    outcome: outcomeSchema.parse(JSON.parse(readFileSync(at("sponsor/missions", bundle, "outcome.json"), "utf8"))),
    audited: z.looseObject({ passed: z.boolean() }).parse(JSON.parse(given.stdout)).passed,
  };
}

const slotsOf = ({ nodes }: Outcome, name: string) =>
  nodes.flatMap(({ executors }) => executors).filter(({ agent }) => agent === addressOf(name));

describe("six processes", function () {
  this.timeout(900_000);
  const directory = suiteDirectory();
  const start = programs();
  let first: Demonstration;

  before(async () => {
    first = await demonstrate(join(directory(), "first"), 0, start);
  });

  it("carry a mission from its goal to its payout, and the sponsor's own audit passes", () => {
    expect(first.outcome.failure, first.log).to.equal(null);
    expect(first.audited, first.log).to.equal(true);
    expect(first.log)
      .to.include("answered judge")
      .and.to.match(/answered re(ceive|execute)/);
  });

  it("pay the agent that was killed in the middle of its work and came back", () => {
    expect(first.cameBack, first.log).to.equal(true);
    const slots = slotsOf(first.outcome, "killed");
    expect(slots, first.log).to.not.have.length(0);
    for (const slot of slots) expect(slot).to.include({ result: "agreed", slashed: "0" });
  });

  it("slash the agent that never did its work", () => {
    const slots = slotsOf(first.outcome, "silent");
    expect(slots, first.log).to.not.have.length(0);
    for (const slot of slots) {
      expect(slot).to.include({ result: "absent", paid: "0" });
      expect(Number(slot.slashed)).to.be.above(0);
    }
  });

  it("get nothing from the agent that a tampered city asks for something else, which is paid for what it was asked in truth", () => {
    const { proxy, outcome, log } = first;
    expect(proxy.obeyed).to.deep.equal([]);
    expect([...proxy.refused]).to.include.members(["bid", "perform", "pledge", "open", "sign", "seal", "draft", "rank"]);
    const slots = slotsOf(outcome, "deceived");
    expect(slots, log).to.not.have.length(0);
    for (const slot of slots) expect(slot).to.include({ result: "agreed", slashed: "0" });
  });

  it("end with the same law, awards and payouts where answers come late and in another order", async () => {
    const second = await demonstrate(join(directory(), "second"), 1_000, start);
    expect(second.audited, second.log).to.equal(true);
    expect(second.proxy.obeyed).to.deep.equal([]);
    const settled = ({ law, nodes, money, reputations }: Outcome) => ({
      law,
      money,
      reputations,
      awards: nodes.map(({ label, executors }) => [label, executors]),
    });
    expect(settled(second.outcome), second.log).to.deep.equal(settled(first.outcome));
  });
});
