import type { Hex } from "viem";
import { ArtifactMissing, type Profile, readArtifact } from "../../deploy/artifacts.ts";
import { type Gate, gateNumber, NAMED_GATES } from "../protocol/gates.ts";
import type { CityClient } from "./client.ts";

/** Why this city cannot use a gate; undefined if it was approved and, for a named gate, has the code of that name. */
export async function gateProblem({ execution, chain }: CityClient, gate: Gate): Promise<string | undefined> {
  const number = gateNumber(gate);
  const address = await execution.predicateOf(number);
  if (BigInt(address) === 0n) return `adjudicators approved no predicate ${number}`;
  if (typeof gate === "number") return undefined;
  const code = await chain.publicClient.getCode({ address });
  return buildsOf(NAMED_GATES[gate].contract).some((build) => build === code) ? undefined : `predicate ${number} here is another contract`;
}

/** A contract's code in each compiled profile. */
function buildsOf(contract: string): readonly Hex[] {
  return (["default", "production"] satisfies Profile[]).flatMap((profile) => {
    try {
      return [readArtifact(contract, profile).runtime.code];
    } catch (error) {
      if (error instanceof ArtifactMissing) return [];
      throw error;
    }
  });
}
