import { keccak256, stringToHex } from "viem";
import type { CityClient } from "../../client/client.ts";
import type { Address } from "../../primitives/hex.ts";
import type { KINDS } from "../../protocol/kinds.ts";
import { MOST_CLAIMED } from "../../rules/bid-score.ts";

/** Smallest units of stake that a newcomer registers with. */
export const NEWCOMER_STAKE = 10_000_000_000n;
/** Seconds of chain time that a newcomer's signatures hold. */
const VALIDITY = 86_400;

/** Until when what a newcomer signs now holds: unix seconds, by the chain's last block. */
export async function newcomerDeadline({ chain }: CityClient): Promise<number> {
  return Number((await chain.publicClient.getBlock()).timestamp) + VALIDITY;
}

/** What an agent and its principal sign to join, whichever way they come; `did` is the text whose hash is bound. */
export async function newcomerBinding(
  client: CityClient,
  parties: { readonly agent: Address; readonly principal: Address; readonly kind: (typeof KINDS)[keyof typeof KINDS] },
  deadline: number,
) {
  const did = `did:pkh:eip155:${client.chain.id}:${parties.agent}`;
  const capabilities = Array.from({ length: 10 }, (_, place) => BigInt(MOST_CLAIMED) << BigInt(16 * place)).reduce((a, b) => a | b);
  const nonce = await client.agents.nonceOf(parties.principal);
  return { did, binding: { ...parties, did: keccak256(stringToHex(did)), capabilities, stake: NEWCOMER_STAKE, nonce, deadline } };
}

/** The same binding as it is sent: numbers beyond 2⁵³ as text. */
export function bindingText({ capabilities, stake, nonce, ...rest }: Awaited<ReturnType<typeof newcomerBinding>>["binding"]) {
  return { ...rest, capabilities: String(capabilities), stake: String(stake), nonce: String(nonce) };
}
