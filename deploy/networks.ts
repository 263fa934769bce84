import { z } from "zod";
import { AgentCityError, InvalidValue } from "../orchestrator/primitives/errors.ts";
import { nearest } from "../orchestrator/protocol/nearest.ts";
import type { Profile } from "./artifacts.ts";

/** A chain on which a city can be founded. */
export interface Network {
  readonly name: string;
  readonly chainId: number;
  /** Devnet features: public keys, test money and time jumps; refused on other networks. */
  readonly devnet: boolean;
  readonly profile: Profile;
  /** Used if neither --rpc nor AGENTCITY_RPC_URL is given. */
  readonly rpc?: string | undefined;
}

const DEVNET_CHAIN_ID = 31337;

/** Chain ids of known networks; a public one always requires a URL. */
const KNOWN: Readonly<Record<string, number>> = {
  embedded: DEVNET_CHAIN_ID,
  anvil: DEVNET_CHAIN_ID,
  optimism: 10,
  "optimism-sepolia": 11_155_420,
  base: 8453,
  "base-sepolia": 84_532,
  arbitrum: 42_161,
  "arbitrum-sepolia": 421_614,
};

/** `agentcity.networks.json`: custom networks by name. */
const ownSchema = z.record(
  z.string().regex(/^[a-z][a-z0-9-]*$/, "a name is lower-case letters, digits and hyphens"),
  z.strictObject({ chainId: z.int().positive(), rpc: z.url().optional(), profile: z.enum(["default", "production"]).optional() }),
);

export class UnknownNetwork extends AgentCityError {
  constructor(name: string, names: readonly string[]) {
    const near = nearest(name, names);
    super("UnknownNetwork", `There is no network ${name}${near === undefined ? "" : `; did you mean ${near}?`}`, {
      details: `known: ${names.join(", ")}`,
      action: 'add it to agentcity.networks.json: { "name": { "chainId": 123, "rpc": "https://…" } }',
    });
  }
}

/** The network of a name; `own` is the parsed content of agentcity.networks.json, if present. */
export function networkOf(name: string, own: unknown = {}): Network {
  const parsed = ownSchema.safeParse(own);
  if (!parsed.success) throw new InvalidValue("agentcity.networks.json", z.prettifyError(parsed.error));
  const known = KNOWN[name];
  const added = parsed.data[name];
  if (known !== undefined && added !== undefined) throw new InvalidValue("agentcity.networks.json", `${name} is already a known network`);
  const chainId = known ?? added?.chainId;
  if (chainId === undefined) throw new UnknownNetwork(name, [...Object.keys(KNOWN), ...Object.keys(parsed.data)]);
  const devnet = chainId === DEVNET_CHAIN_ID;
  return { name, chainId, devnet, profile: added?.profile ?? (devnet ? "default" : "production"), rpc: added?.rpc };
}
