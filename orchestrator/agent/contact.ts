import { BlockNotFoundError, keccak256, stringToHex } from "viem";
import { z } from "zod";
import { DEVNET_CHAIN_ID } from "../chain/devnet.ts";
import { connectRpcChain, type RpcOptions } from "../chain/rpc.ts";
import { type CityClient, createCityClient } from "../client/client.ts";
import { type Hash, hashSchema } from "../primitives/hex.ts";
import { canonicalJson, type JsonValue } from "../primitives/json.ts";
import { addressesOf } from "../protocol/addresses.ts";
import { type CityCard, cityCardSchema } from "../protocol/calls.ts";
import { requireOwnCode } from "./city-code.ts";
import { AnotherCity, OwnRpcMissing } from "./errors.ts";
import type { CityLink } from "./link.ts";
import type { Memory } from "./memory.ts";

/** A reachable city, and the chain that the agent trusts about it. */
export interface Contact {
  readonly card: CityCard;
  readonly client: CityClient;
}

/** Pinned at first contact. A city that later differs in any of these fields is a different city. */
const pinnedSchema = cityCardSchema.omit({ rpcUrl: true, now: true });

/**
 * Connects to a city, checks that its contracts are those of this version, and compares it with what was pinned at first contact. On a
 * devnet without `rpc` the agent trusts the city's own chain. Throws OtherCode, AnotherCity, OwnRpcMissing.
 */
export async function reach(
  link: Pick<CityLink, "card">,
  memory: Memory,
  rpc: string | undefined,
  wall: RpcOptions["wall"],
): Promise<Contact> {
  const card = await link.card();
  const { rpcUrl, now: _, ...here } = card;
  if (card.chainId !== DEVNET_CHAIN_ID && (rpc === undefined || sameOrigin(rpc, rpcUrl))) throw new OwnRpcMissing(card.chainId);
  const chain = await connectRpcChain({ url: rpc ?? rpcUrl, chainId: card.chainId, wall });
  const client = createCityClient({ chain, addresses: addressesOf(card.addresses, "The city of this seat") });
  const { hash } = await chain.publicClient.getBlock({ blockNumber: 0n });
  if (hash !== card.genesis) throw new AnotherCity("first block");
  await requireOwnCode(client);
  const code = await codeAt(client);
  if ((await memory.keep(["code"], hashSchema, async () => code)) !== code) throw new AnotherCity("code");
  const pinned = await memory.keep(["city"], pinnedSchema, async () => here);
  const current = new Map<string, JsonValue>(Object.entries(here));
  for (const [what, value] of Object.entries(pinned))
    if (canonicalJson(value) !== canonicalJson(current.get(what) ?? null)) throw new AnotherCity(what);
  await requireSameHistory(client, memory);
  return { card, client };
}

/** Depth below the head at which no reorganisation is expected, blocks. */
const SETTLED = 16n;
/** Number of remembered blocks to compare, newest first. */
const COMPARED = 32;
const seenSchema = z.strictObject({ number: z.string().regex(/^\d{1,20}$/), hash: hashSchema });

/** Checks that the chain still has the blocks seen before. Throws AnotherCity with both hashes if one was replaced. */
async function requireSameHistory({ chain }: CityClient, memory: Memory): Promise<void> {
  const seen = memory.all("block", seenSchema).sort((a, b) => (BigInt(a.number) < BigInt(b.number) ? 1 : -1));
  const hashAt = async (blockNumber: bigint) => {
    try {
      return (await chain.publicClient.getBlock({ blockNumber })).hash;
    } catch (error) {
      // A node that does not answer has not lost the block.
      if (error instanceof BlockNotFoundError) return undefined;
      throw error;
    }
  };
  for (const { number, hash } of seen.slice(0, COMPARED)) {
    const now = await hashAt(BigInt(number));
    if (now !== hash) throw new AnotherCity("history", `block ${number} was ${hash}, and is ${now ?? "not there"}`);
  }
  const head = await chain.publicClient.getBlockNumber();
  const at = head > SETTLED ? head - SETTLED : 0n;
  const hash = await hashAt(at);
  if (hash !== undefined) await memory.keep(["block", String(at)], seenSchema, async () => ({ number: String(at), hash }));
}

/** Hash over the code of all the city's contracts. */
async function codeAt({ chain, addresses }: CityClient): Promise<Hash> {
  const codes = await Promise.all(Object.values(addresses).map((address) => chain.publicClient.getCode({ address })));
  return keccak256(stringToHex(codes.join()));
}

function sameOrigin(one: string, other: string): boolean {
  return URL.canParse(one) && URL.canParse(other) && new URL(one).origin === new URL(other).origin;
}
