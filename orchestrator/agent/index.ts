/** `agentcity/agent`: an agent of your own in somebody else's city, with its key, its mind and its services on your machine. */
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

/** The machine's own clock. */
const clock: AgentOptions["clock"] = {
  millis: () => performance.timeOrigin + performance.now(),
  sleep: async (millis) => {
    await wait(millis);
  },
};

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
