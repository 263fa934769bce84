import { readFileSync } from "node:fs";
import { join } from "node:path";
import { privateKeyToAccount } from "viem/accounts";
import { createAgent } from "../agent/agent.ts";
import { InvalidValue, messageOf } from "../primitives/errors.ts";
import { keccak256 } from "../primitives/hash.ts";
import type { Hex } from "../primitives/hex.ts";
import { EXIT } from "./exit-codes.ts";
import { home } from "./home.ts";
import { interrupted } from "./interruption.ts";
import { decryptKeystore, KeyUnusable } from "./keys.ts";
import { typedPath } from "./shell.ts";
import { wallTime } from "./wall-time.ts";

export interface AgentCommand {
  readonly city: string;
  readonly key: string;
  readonly principal?: string;
  readonly passwordFile?: string;
  readonly rpc?: string;
  readonly sells?: string;
  readonly leastPrice?: string;
  readonly mostStake?: string;
  readonly mostNodes?: number;
  readonly json?: boolean;
}

/** Runs an agent until it is stopped, or says what it lacks. */
export async function agent(action: string, options: AgentCommand): Promise<void> {
  if (action !== "run" && action !== "doctor") throw new InvalidValue("action", "it is neither run nor doctor", { details: action });
  const { city, rpc, json = false, leastPrice, mostStake, mostNodes } = options;
  const key = secretIn(options.key, options.passwordFile);
  const principal = options.principal === undefined ? undefined : privateKeyToAccount(secretIn(options.principal, options.passwordFile));
  const { address } = privateKeyToAccount(key);
  const own = createAgent({
    ...{ city, rpc, key, principal, clock: wallTime },
    folder: join(home().root, "agents", address, keccak256(new TextEncoder().encode(city)).slice(2, 14)),
    sells: options.sells?.split(","),
    limits: {
      ...(leastPrice === undefined ? {} : { leastPrice: unitsIn("--least-price", leastPrice) }),
      ...(mostStake === undefined ? {} : { mostStake: unitsIn("--most-stake", mostStake) }),
      ...(mostNodes === undefined ? {} : { mostNodes }),
    },
    tell: (line) => process.stderr.write(`${line}\n`),
  });
  if (action === "run") return own.run(interrupted);
  const findings = await own.doctor();
  if (findings.some(({ ok }) => !ok)) process.exitCode = EXIT.FAILED;
  if (json) process.stdout.write(`${JSON.stringify({ status: "done", findings })}\n`);
  else for (const { what, ok, details } of findings) process.stdout.write(`${ok ? "ok     " : "MISSING"}  ${what}: ${details}\n`);
}

function unitsIn(option: string, text: string): bigint {
  if (!/^\d{1,30}$/.test(text)) throw new InvalidValue(option, "it takes a whole number of the token's smallest unit", { details: text });
  return BigInt(text);
}

/** The key in a keystore. Its password comes from a file, never from the command line. */
function secretIn(keystore: string, passwordFile = process.env["AGENTCITY_PASSWORD_FILE"]): Hex {
  if (passwordFile === undefined) throw new KeyUnusable("No password file is named", "AGENTCITY_PASSWORD_FILE");
  const read = (file: string) => {
    try {
      return readFileSync(typedPath(file), "utf8");
    } catch (error) {
      throw new KeyUnusable(`${file} cannot be read: ${messageOf(error)}`, "AGENTCITY_PASSWORD_FILE");
    }
  };
  return decryptKeystore(read(keystore), read(passwordFile).replace(/\r?\n$/, ""));
}
