/** What a market hands to `ProducerContract.settle` and a mission to `ExecutionProcedure.settleSlot`, of which a test names what it is about. */
import { id, ZeroAddress } from "ethers";

const REASON = id("why");

/** An outcome that ends no lock and scores nothing. */
export const outcomeOf = (
  agent: string,
  over: { readonly release?: bigint; readonly scored?: boolean; readonly score?: number; readonly reason?: string } = {},
) => ({ agent, release: 0n, scored: false, score: 0, reason: REASON, ...over });

/** A settlement of slot 0 of node 0 that takes nothing. */
export const penaltyOf = (agent: string, over: { readonly release?: bigint; readonly slash?: bigint; readonly scored?: boolean } = {}) => ({
  ...{ node: 0, slot: 0, agent, release: 0n, slash: 0n, scored: false, score: 0, reason: REASON, settler: ZeroAddress },
  ...over,
});
