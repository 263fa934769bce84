import type { Address } from "../primitives/hex.ts";
import { type ParameterName, parameterIndex } from "../protocol/parameters.ts";
import { unpackMissionParams } from "../rules/mission-params-codec.ts";
import type { CityClient } from "./client.ts";

/**
 * Reads locked parameters of one edition of the table (decision 74): `param` in the parameter's unit, `units` for token parameters in
 * smallest units.
 */
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

/** The edition in force, which newly opened sessions keep. */
export async function newestEdition({ constitution }: Pick<CityClient, "constitution">): Promise<number> {
  return unpackMissionParams(await constitution.missionParams()).edition;
}

/** The parameters that apply to a mission, regardless of later changes. */
export async function parametersOf(client: Pick<CityClient, "constitution" | "mission">, mission: Address): Promise<ParametersIn> {
  const { params } = await client.mission(mission).context();
  return parametersIn(client, params.edition);
}
