import type { Abi } from "viem";
import { decodeErrorResult, toFunctionSelector } from "viem";
import { messageOf } from "../primitives/errors.ts";
import type { Hex } from "../primitives/hex.ts";
import { isHex } from "../primitives/hex.ts";

/** A revert in words and in parts. */
export interface Revert {
  readonly reason: string;
  readonly errorName?: string;
  readonly args?: readonly unknown[];
  readonly data?: Hex;
}

/** Decodes the data of a reverted call: a custom error of these ABIs, `Error(string)` or `Panic(uint256)`. */
export function decodeRevert(data: Hex | undefined, errors: Abi): Revert {
  if (data === undefined || data === "0x") return { reason: "no reason given" };
  try {
    const { errorName, args } = decodeErrorResult({ abi: errors, data });
    const values: readonly unknown[] = Array.isArray(args) ? args : [];
    return { reason: `${errorName}(${values.map(text).join(", ")})`, errorName, args: values, data };
  } catch {
    return { reason: `unknown error ${data.slice(0, 10)}`, data };
  }
}

/** The name of the custom error with this selector; the selector itself if no ABI has it. None of ours has a struct. */
export function errorNameOf(selector: Hex, abi: Abi): string {
  const errors = abi.filter((item) => item.type === "error");
  const signature = ({ name, inputs }: (typeof errors)[number]) => `${name}(${inputs.map(({ type }) => type).join()})`;
  return errors.find((error) => toFunctionSelector(signature(error)) === selector)?.name ?? selector;
}

/** Extracts the revert data from an error of a node or client; undefined if it is not a revert. */
export function revertOf(thrown: unknown): { readonly data: Hex | undefined; readonly message: string } | undefined {
  const message = messageOf(thrown);
  const errors = causes(thrown);
  for (const error of errors) {
    const data = "data" in error ? error.data : undefined;
    if (isHex(data)) return { data, message };
    if (typeof data === "object" && data !== null && "data" in data && isHex(data.data)) return { data: data.data, message };
  }
  const isRevert = errors.some(
    (error) => ("code" in error && error.code === 3) || ("message" in error && /revert/i.test(String(error.message))),
  );
  return isRevert ? { data: undefined, message } : undefined;
}

function causes(thrown: unknown): readonly object[] {
  const errors: object[] = [];
  for (let error = thrown; typeof error === "object" && error !== null; error = "cause" in error ? error.cause : undefined)
    errors.push(error);
  return errors;
}

function text(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(text).join(", ")}]`;
  if (typeof value === "object" && value !== null)
    return `{${Object.entries(value)
      .map(([key, child]) => `${key}: ${text(child)}`)
      .join(", ")}}`;
  return String(value);
}
