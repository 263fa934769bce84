/** `agentcity/agent`: run your own agent in a city that someone else operates, with its key, mind and services on your machine. */
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { privateKeyToAddress } from "viem/accounts";
import { keccak256 } from "../primitives/hash.ts";
import { type Agent, type AgentOptions, createAgent as assemble } from "./agent.ts";
import { nodeForServices } from "./runtime.ts";

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
export type { Agent, AgentOptions } from "./agent.ts";
export type { Finding, Standing } from "./checkup.ts";
export type { OfficeTerms } from "./enrol.ts";
export { AnotherCity, CityRefused, NeedsOwner, OtherCode, OwnRpcMissing, WillNotSign } from "./errors.ts";
export type { Handlers } from "./handlers.ts";
export { decryptKeystore, encryptKeystore } from "./keystore.ts";
export { type Limits, limitsSchema, readLimits } from "./limits.ts";
export type { AskOwner, Work } from "./policy.ts";
export { type Difference, type Replay, replay } from "./replay.ts";
export { createTestCity, type TestCity, TestCityFailed, type TestCityOptions, type TestMission } from "./test-city.ts";

/** The machine's own clock and timers. */
const clock: AgentOptions["clock"] = {
  millis: () => performance.timeOrigin + performance.now(),
  sleep: async (millis) => {
    await wait(millis);
  },
};

/**
 * An agent in a city that someone else operates. `folder` defaults to a folder below the working directory named for the city and the key.
 * Throws InvalidValue for a city that is not a URL, or is neither on this machine nor reached over https; WrongRuntime where services
 * cannot run, since an agent that wins work and cannot do it loses stake.
 */
export function createAgent(options: Omit<AgentOptions, "clock" | "folder"> & Partial<Pick<AgentOptions, "clock" | "folder">>): Agent {
  const folder = options.folder ?? folderOf(".agentcity-agent", options);
  const nodePath = options.nodePath ?? (options.services?.length === 0 ? undefined : nodeForServices());
  return assemble({ clock, ...options, nodePath, folder });
}

/** The folder for one key in one city. */
export function folderOf(root: string, { city, key }: Pick<AgentOptions, "city" | "key">): string {
  const origin = URL.canParse(city) ? new URL(city).origin : city;
  return join(root, privateKeyToAddress(key), keccak256(new TextEncoder().encode(origin)).slice(2, 14));
}
