// Generated from the errors of all contracts by `npm run abi`. Do not edit.
import type { Abi } from "viem";

export const errorsAbi = [
] as const satisfies Abi;
