import { concatHex, type Hex, pad } from "viem";
import { ArtifactMissing, type Profile, readArtifact } from "../../deploy/artifacts.ts";
import { type Gate, gateNumber, NAMED_GATES } from "../protocol/gates.ts";
import type { CityClient } from "./client.ts";

type NamedGate = Exclude<Gate, number>;

/** Why this city cannot use a gate; undefined if it was approved and, for a named gate, has the code of that name. */
export async function gateProblem(client: CityClient, gate: Gate): Promise<string | undefined> {
  const number = gateNumber(gate);
  const address = await client.execution.predicateOf(number);
  if (BigInt(address) === 0n) return `adjudicators approved no predicate ${number}`;
  if (typeof gate === "number") return undefined;
  const code = await client.chain.publicClient.getCode({ address });
  for (const creation of creationsOf(client, gate)) {
    // What a deployment would leave: a contract that asks the city has its constitution in its code.
    const { data } = await client.chain.publicClient.call({ data: creation });
    if (data === code) return undefined;
  }
  return `predicate ${number} here is another contract`;
}

/** What deploys a named gate's contract in this city. */
export function gateCreation({ addresses }: Pick<CityClient, "addresses">, gate: NamedGate, profile: Profile = "default"): Hex {
  const { contract, asksCity } = NAMED_GATES[gate];
  const { bytecode } = readArtifact(contract, profile);
  return asksCity ? concatHex([bytecode, pad(addresses.ConstitutionContract)]) : bytecode;
}

/** The same in each compiled profile. */
function creationsOf(client: Pick<CityClient, "addresses">, gate: NamedGate): readonly Hex[] {
  return (["default", "production"] satisfies Profile[]).flatMap((profile) => {
    try {
      return [gateCreation(client, gate, profile)];
    } catch (error) {
      if (error instanceof ArtifactMissing) return [];
      throw error;
    }
  });
}
