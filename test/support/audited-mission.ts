/** A mission of these tests as the audit reads it from the chain. */
import { createPublicClient, custom, type Hash } from "viem";
import { hardhat } from "viem/chains";
import { callTraceOf } from "../../orchestrator/chain/inner-calls.ts";
import { replayLimits } from "../../orchestrator/chain/replay-limits.ts";
import { ReplayedRecord } from "../../orchestrator/city/audit/chain-record.ts";
import { MissionHistory } from "../../orchestrator/city/audit/history.ts";
import { Roles } from "../../orchestrator/city/audit/roles.ts";
import { addressSchema } from "../../orchestrator/primitives/address.ts";
import { hexSchema } from "../../orchestrator/primitives/hex.ts";
import { networkHelpers, provider } from "./city-fixture.ts";
import type { Mission } from "./mission-fixture.ts";

const HASH: Hash = `0x${"00".repeat(32)}`;

export async function audited(mission: Mission) {
  const head = BigInt(await networkHelpers.time.latestBlock());
  const publicClient = createPublicClient({ chain: hardhat, transport: custom(provider), cacheTime: 0 });
  const callTrace = (hash: Hash) => callTraceOf(({ method, params = [] }) => provider.request({ method, params }), hash);
  const chain = { firstBlock: 0n, head: () => ({ number: head, hash: HASH }), publicClient, callTrace };
  const about = addressSchema.parse(mission.address);
  const record = await ReplayedRecord.read(chain, mission.city.built, about, replayLimits().events);
  const lawHash = hexSchema.parse(await mission.contract.lawHash());
  const history = new MissionHistory(record, { chainId: BigInt(hardhat.id), mission: about, lawHash });
  const client = { chain: hardhat, addresses: mission.city.built };
  return { record, history, roles: new Roles(record), mission: about, client, law: { nodes: mission.nodes } };
}
