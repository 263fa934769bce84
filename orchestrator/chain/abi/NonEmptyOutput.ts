// Generated from contracts/collaboration/predicates/NonEmptyOutput.sol by `npm run abi`. Do not edit.
import type { Abi } from "viem";

export const nonEmptyOutputAbi = [
  {"type":"function","name":"allows","inputs":[{"name":"","type":"address"},{"name":"","type":"uint8"},{"name":"outputHash","type":"bytes32"}],"outputs":[{"name":"","type":"bool"}],"stateMutability":"pure"},
] as const satisfies Abi;
