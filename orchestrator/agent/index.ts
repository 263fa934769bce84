/** `agentcity/agent`: an agent of your own in somebody else's city, with its key, its mind and its services on your machine. */
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { privateKeyToAddress } from "viem/accounts";
import { AgentCityError } from "../primitives/errors.ts";
import { keccak256 } from "../primitives/hash.ts";
import { type Agent, type AgentOptions, createAgent as assemble } from "./agent.ts";

export type { RiskName } from "../client/law-limits.ts";
export type {
  BidRequest,
  DraftRequest,
  Mind,
  Offer,
  OpenNode,
  PlanRequest,
  Ranking,
  RankRequest,
  SpeakRequest,
  Speech,
} from "../minds/mind.ts";
export type { Hex } from "../primitives/hex.ts";
export type { LawShape } from "../protocol/law-shape.ts";
export type { Agent, AgentOptions, Handlers } from "./agent.ts";
export type { Finding, Standing } from "./checkup.ts";
export type { OfficeTerms } from "./enrol.ts";
export { AnotherCity, CityRefused, NeedsOwner, WillNotSign } from "./errors.ts";
export { decryptKeystore, encryptKeystore } from "./keystore.ts";
export { type Limits, limitsSchema, readLimits } from "./limits.ts";
export type { AskOwner, Work } from "./policy.ts";

/** The machine's own clock. */
const clock: AgentOptions["clock"] = {
  millis: () => performance.timeOrigin + performance.now(),
  sleep: async (millis) => {
    await wait(millis);
  },
};

/** Node's major version that services run on. */
const NODE_MAJOR = 24;

/**
 * An agent of one owner in a city of others. `folder` is by default below the working directory, named for city and key. Throws
 * InvalidValue for a city that is no URL, or one that is neither on this machine nor reached by https; WrongRuntime where services could not
 * run: an agent that wins work and cannot do it loses stake.
 */
export function createAgent(options: Omit<AgentOptions, "clock" | "folder"> & Partial<Pick<AgentOptions, "clock" | "folder">>): Agent {
  const folder = options.folder ?? folderOf(".agentcity-agent", options);
  const nodePath = options.nodePath ?? (options.services?.length === 0 ? undefined : nodeForServices());
  return assemble({ clock, ...options, nodePath, folder });
}

/** The folder of one key in one city. */
export function folderOf(root: string, { city, key }: Pick<AgentOptions, "city" | "key">): string {
  const origin = URL.canParse(city) ? new URL(city).origin : city;
  return join(root, privateKeyToAddress(key), keccak256(new TextEncoder().encode(origin)).slice(2, 14));
}

/** Services run on Node 24: this process's, or that of the package `node` beside this one. Throws WrongRuntime. */
function nodeForServices(): string {
  if (Number(process.versions.node.split(".")[0]) >= NODE_MAJOR) return process.execPath;
  for (const from of [import.meta.url, join(process.cwd(), "package.json")]) {
    try {
      return createRequire(from).resolve("node/bin/node");
    } catch {
      // Not installed there.
    }
  }
  throw new AgentCityError("WrongRuntime", `Services run on Node ${NODE_MAJOR}; this is ${process.version}`, {
    action: `npm install node@${NODE_MAJOR} beside this package, or sell no services`,
  });
}
