import { keccak256, stringToHex } from "viem";
import type { CityClient } from "../../client/client.ts";
import type { Address } from "../../primitives/hex.ts";
import type { KINDS } from "../../protocol/kinds.ts";
import { MAX_CLAIMED } from "../../rules/bid-score.ts";

/** Smallest units of stake that a newcomer registers with. */
export const NEWCOMER_STAKE = 10_000_000_000n;
/** Seconds of chain time that a newcomer's signatures hold. */
const VALIDITY = 86_400;

/** Expiry of a newcomer's signatures: unix seconds, by the chain's last block. */
export async function newcomerDeadline({ chain }: CityClient): Promise<number> {
  return Number((await chain.publicClient.getBlock()).timestamp) + VALIDITY;
}

/** What an agent and its principal sign to join, by any route; `did`: the text whose hash is bound. */
export async function newcomerBinding(
  client: CityClient,
  parties: { readonly agent: Address; readonly principal: Address; readonly kind: (typeof KINDS)[keyof typeof KINDS] },
  deadline: number,
) {
  const did = didOf(client, parties.agent);
  const capabilities = levels(() => BigInt(MAX_CLAIMED));
  const nonce = await client.agents.nonceOf(parties.principal);
  return { did, binding: { ...parties, did: keccak256(stringToHex(did)), capabilities, stake: NEWCOMER_STAKE, nonce, deadline } };
}

/** What an agent and the producer that creates it sign: it claims no more than its creator has. */
export async function subAgentBinding(
  client: CityClient,
  parties: { readonly agent: Address; readonly creator: Address },
  deadline: number,
) {
  const did = didOf(client, parties.agent);
  const [theirs, nonce] = await Promise.all([client.agents.capabilitiesOf(parties.creator), client.agents.nonceOf(parties.creator)]);
  const capabilities = levels((place) => {
    const level = BigInt.asUintN(16, theirs >> BigInt(16 * place));
    return level < BigInt(MAX_CLAIMED) ? level : BigInt(MAX_CLAIMED);
  });
  return { did, binding: { ...parties, did: keccak256(stringToHex(did)), capabilities, stake: NEWCOMER_STAKE, nonce, deadline } };
}

/** The word of ten levels. */
function levels(levelOf: (place: number) => bigint): bigint {
  return Array.from({ length: 10 }, (_, place) => levelOf(place) << BigInt(16 * place)).reduce((a, b) => a | b);
}

function didOf({ chain }: CityClient, agent: Address): string {
  return `did:pkh:eip155:${chain.id}:${agent}`;
}

/** The binding as it is sent, with numbers beyond 2⁵³ as text. */
export function bindingText<Binding extends Record<"capabilities" | "stake" | "nonce", bigint>>({
  capabilities,
  stake,
  nonce,
  ...rest
}: Binding) {
  return { ...rest, capabilities: String(capabilities), stake: String(stake), nonce: String(nonce) };
}
