import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { generatePrivateKey } from "viem/accounts";
import { z } from "zod";
import { AgentCityError } from "../primitives/errors.ts";
import { parseJson } from "../primitives/json.ts";
import { type Outcome, outcomeSchema } from "../protocol/outcome.ts";
import { encryptKeystore } from "./keystore.ts";
import { nodeForServices } from "./runtime.ts";

export interface TestCityOptions {
  /** An installed checkout of the AgentCity repository. Default: the variable AGENTCITY_CHECKOUT. */
  readonly checkout?: string | undefined;
  /** The same seed founds the same city. Default: "7". */
  readonly seed?: string | undefined;
  /** Receives the city's output, line by line. */
  readonly progress?: ((line: string) => void) | undefined;
}

/** The outcome of a mission in a test city. */
export interface TestMission {
  readonly status: Outcome["status"];
  /** Why it failed; null if it succeeded. */
  readonly reason: string | null;
  /** Whether an audit of its bundle alone passed. */
  readonly audited: boolean;
  /** Slots that were won and how they ended; amounts in the smallest unit. */
  readonly slots: readonly {
    readonly node: string;
    readonly agent: string;
    readonly service: string;
    readonly result: Outcome["nodes"][number]["executors"][number]["result"];
    readonly price: bigint;
    readonly paid: bigint;
    readonly slashed: bigint;
  }[];
  /** The bundle's folder; removed with the city. */
  readonly bundle: string;
}

/** A private city on the embedded chain. Its clock jumps to the next deadline when every participant waits. */
export interface TestCity {
  /** Seat server for agents: `createAgent({ city: url, … })`. */
  readonly url: string;
  readonly gateway: string;
  /** Runs a mission file from goal to payout with the agents seated. Throws TestCityFailed. */
  mission(file: string): Promise<TestMission>;
  /** Stops the city and removes its folder. */
  close(): Promise<void>;
}

/** The test city, or a command in it, failed. `details`: its last output. */
export class TestCityFailed extends AgentCityError {
  constructor(what: string, said: string) {
    super("TestCityFailed", what, { details: said.slice(-2_000) });
  }
}

const servingSchema = z.looseObject({ url: z.url(), seats: z.url() });
const auditSchema = z.looseObject({ mission: z.string(), passed: z.boolean() });

/**
 * Founds a city for agent tests, in its own process and folder. A simulation makes the human decisions and labels them so. Throws
 * NoCheckout, TestCityFailed, WrongRuntime.
 */
export async function createTestCity({ checkout, seed = "7", progress = () => {} }: TestCityOptions = {}): Promise<TestCity> {
  const repository = resolve(checkout ?? process.env["AGENTCITY_CHECKOUT"] ?? "");
  const program = join(repository, "scripts/agentcity.js");
  if (!existsSync(program))
    throw new AgentCityError("NoCheckout", `${repository} is no checkout of AgentCity`, {
      action: "clone the repository, npm ci there, and name it: createTestCity({ checkout }) or AGENTCITY_CHECKOUT",
    });
  const folder = mkdtempSync(join(tmpdir(), "agentcity-test-city-"));
  const node = nodeForServices();
  const running = new Set<ChildProcess>();
  const start = (home: string, args: readonly string[]) => {
    const child = spawn(node, [program, ...args, "--json"], {
      env: { ...process.env, AGENTCITY_HOME: join(folder, home) },
      stdio: ["ignore", "pipe", "pipe"],
    });
    running.add(child);
    const said: string[] = [];
    createInterface({ input: child.stderr }).on("line", (line) => {
      said.push(line);
      progress(line);
    });
    const ended = once(child, "close").then(() => running.delete(child));
    return { child, said, ended };
  };

  async function close(): Promise<void> {
    for (const child of running) child.kill("SIGTERM");
    await Promise.all([...running].map((child) => (child.exitCode === null ? once(child, "close") : undefined)));
    rmSync(folder, { recursive: true, force: true });
  }

  const city = start("city", ["city", "--port", "0", "--open", "0", "--simulate-humans", "--seed", seed]);
  const lines = createInterface({ input: city.child.stdout });
  const first = await Promise.race([once(lines, "line"), city.ended]);
  const serving = Array.isArray(first) ? servingSchema.safeParse(parseJson(String(first[0]))) : undefined;
  if (serving?.success !== true) {
    await close();
    throw new TestCityFailed("The city could not be founded", city.said.join("\n"));
  }
  const { url: gateway, seats: url } = serving.data;

  /** Each city has its own sponsor; the devnet's faucet pays. */
  const password = randomBytes(24).toString("base64url");
  const own = (name: string) => join(folder, name);
  writeFileSync(own("password"), password, { mode: 0o600 });
  writeFileSync(own("sponsor.json"), encryptKeystore(generatePrivateKey(), password, randomBytes), { mode: 0o600 });
  let missions = 0;

  async function mission(file: string): Promise<TestMission> {
    const again = String(missions);
    missions += 1;
    const keys = ["--key", own("sponsor.json"), "--password-file", own("password")];
    const given = start("sponsor", ["mission", resolve(file), "--city", gateway, ...keys, "--again", again]);
    const [said] = await Promise.all([text(given.child.stdout), given.ended]);
    const audited = auditSchema.safeParse(said === "" ? null : parseJson(said));
    if (!audited.success) throw new TestCityFailed(`${file} came to nothing`, [...given.said, said].join("\n"));
    const bundle = join(folder, "sponsor/missions", audited.data.mission.toLowerCase());
    const { status, failure, nodes } = outcomeSchema.parse(parseJson(readFileSync(join(bundle, "outcome.json"), "utf8")));
    const slots = nodes.flatMap(({ label, executors }) =>
      executors.map(({ agent, service, result, price, paid, slashed }) => ({
        ...{ node: label, agent, service, result },
        ...{ price: BigInt(price), paid: BigInt(paid), slashed: BigInt(slashed) },
      })),
    );
    return { status, reason: failure?.reason ?? null, audited: audited.data.passed, slots, bundle };
  }

  return { url, gateway, mission, close };
}
