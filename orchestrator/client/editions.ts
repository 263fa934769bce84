import type { Address } from "../primitives/hex.ts";
import { type ParameterName, parameterIndex } from "../protocol/parameters.ts";
import { unpackMissionParams } from "../rules/mission-params-codec.ts";
import type { CityClient } from "./client.ts";

/** Reads locked parameters as they were in an edition of the table (decision 74): `param` in their own unit, `units` of token parameters. */
export interface ParametersIn {
  param(name: ParameterName): Promise<bigint>;
  units(name: ParameterName): Promise<bigint>;
}

export function parametersIn({ constitution }: Pick<CityClient, "constitution">, edition: number): ParametersIn {
  return {
    param: (name) => constitution.paramIn(edition, parameterIndex(name)),
    units: (name) => constitution.unitsIn(edition, parameterIndex(name)),
  };
}

/** The edition that is in force: sessions that open now keep it. */
export async function newestEdition({ constitution }: Pick<CityClient, "constitution">): Promise<number> {
  return unpackMissionParams(await constitution.missionParams()).edition;
}

/** The parameters that a mission is held to, whatever was changed since. */
export async function parametersOf(client: Pick<CityClient, "constitution" | "mission">, mission: Address): Promise<ParametersIn> {
  const { params } = await client.mission(mission).context();
  return parametersIn(client, params.edition);
}
