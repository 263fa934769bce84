import { type Abi, toFunctionSelector } from "viem";
import type { Hex } from "./hex.ts";

/** The selector of a contract's function by name: the city's contracts do not overload functions. */
export function selectorIn(abi: Abi, functionName: string): Hex | undefined {
  const item = abi.find((each) => each.type === "function" && each.name === functionName);
  return item?.type === "function" ? toFunctionSelector(item) : undefined;
}

/** `Contract.function` by selector; a selector shared by several contracts maps to the last. */
export function functionNames(abis: Iterable<readonly [contract: string, abi: Abi]>): ReadonlyMap<Hex, string> {
  const names = new Map<Hex, string>();
  for (const [contract, abi] of abis)
    for (const item of abi) if (item.type === "function") names.set(toFunctionSelector(item), `${contract}.${item.name}`);
  return names;
}
