import { type ParameterName, parameterIndex } from "../../protocol/parameters.ts";
import type { ChainContext } from "./context.ts";

/** A parameter just before a point of the chain, in its unit: adjudicators may have amended it since. */
export async function parameterBefore(
  { record, client }: Pick<ChainContext, "record" | "client">,
  name: ParameterName,
  at: bigint,
): Promise<bigint> {
  const index = parameterIndex(name);
  const changes = record.events("ConstitutionContract", "ParameterSet").filter(({ args }) => args.param === index);
  const last = changes.findLast((change) => change.at < at);
  return last?.args.value ?? changes[0]?.args.previous ?? client.constitution.param(index);
}
