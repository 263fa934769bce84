/** A move: something one of the actors may try, rightly or wrongly. */
import { isError } from "ethers";
import type { RandomStream } from "../../orchestrator/primitives/random.ts";
import { NodeState } from "../support/mission-fixture.ts";
import type { FuzzMission } from "./fuzz-mission.ts";
import type { World } from "./world.ts";

/** On a node of a mission. */
export interface NodeMove {
  readonly name: string;
  /** Node states it suits; now and then it is tried in others too. */
  readonly suits: readonly bigint[];
  readonly weight: number;
  act(mission: FuzzMission, node: number, world: World): Promise<unknown>;
}

/** On the city. */
export interface CityMove {
  readonly name: string;
  readonly weight: number;
  act(world: World): Promise<unknown>;
}

export const ANY: readonly bigint[] = Object.values(NodeState);

/** Gas that ran out is a refusal too: the estimate was made for another second, in which less was due. */
const REFUSED = /revert|ran out of gas|is no worker|is no verifier|no exhibit/;
/** What no contract should ever answer. */
const PANIC = /panic code|without a reason/;

/** Whether the chain took it. Anything but a refusal by name is an error of the contracts, or of the test. */
export async function tried(move: () => Promise<unknown>): Promise<boolean> {
  try {
    await move();
    return true;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (!PANIC.test(message) && (isError(error, "CALL_EXCEPTION") || REFUSED.test(message))) return false;
    throw error;
  }
}

/** One of the moves, the heavy ones more often. */
export function weighted<Move extends { readonly weight: number }>(moves: readonly Move[], random: RandomStream): Move {
  let at = random.int(moves.reduce((sum, { weight }) => sum + weight, 0));
  for (const move of moves) {
    at -= move.weight;
    if (at < 0) return move;
  }
  return random.pick(moves);
}
