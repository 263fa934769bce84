// Generated from contracts/meta/AdjudicatorWatchdog.sol by `npm run abi`. Do not edit.
import type { Abi } from "viem";

export const adjudicatorWatchdogAbi = [
  {"type":"constructor","inputs":[{"name":"constitution","type":"address"}],"stateMutability":"nonpayable"},
  {"type":"error","name":"FrozenByWatchdog","inputs":[{"name":"since","type":"uint40"}]},
  {"type":"error","name":"NotFrozen","inputs":[]},
  {"type":"error","name":"NotGovernor","inputs":[{"name":"caller","type":"address"}]},
  {"type":"event","name":"Frozen","anonymous":false,"inputs":[{"name":"adjudicator","type":"address","indexed":true},{"name":"since","type":"uint40","indexed":false}]},
  {"type":"event","name":"Released","anonymous":false,"inputs":[{"name":"since","type":"uint40","indexed":false},{"name":"until","type":"uint40","indexed":false}]},
  {"type":"event","name":"Warned","anonymous":false,"inputs":[{"name":"adjudicator","type":"address","indexed":true},{"name":"family","type":"uint8","indexed":true},{"name":"day","type":"uint256","indexed":false}]},
  {"type":"function","name":"conductOf","inputs":[{"name":"adjudicator","type":"address"}],"outputs":[{"name":"tally","type":"tuple","components":[{"name":"approvals","type":"uint256"},{"name":"decisions","type":"uint256"},{"name":"weakenings","type":"uint256"}]},{"name":"run","type":"uint256"},{"name":"warnings","type":"tuple","components":[{"name":"approval","type":"uint32"},{"name":"weakening","type":"uint32"}]}],"stateMutability":"view"},
  {"type":"function","name":"extended","inputs":[{"name":"opened","type":"uint40"},{"name":"until","type":"uint40"}],"outputs":[{"name":"","type":"uint40"}],"stateMutability":"view"},
  {"type":"function","name":"isDegraded","inputs":[],"outputs":[{"name":"","type":"bool"}],"stateMutability":"view"},
  {"type":"function","name":"isFlagged","inputs":[{"name":"adjudicator","type":"address"}],"outputs":[{"name":"","type":"bool"}],"stateMutability":"view"},
  {"type":"function","name":"isFrozen","inputs":[],"outputs":[{"name":"","type":"bool"}],"stateMutability":"view"},
  {"type":"function","name":"note","inputs":[{"name":"adjudicators","type":"address[]"},{"name":"decision","type":"uint8"},{"name":"weakens","type":"bool"}],"outputs":[],"stateMutability":"nonpayable"},
  {"type":"function","name":"release","inputs":[],"outputs":[],"stateMutability":"nonpayable"},
  {"type":"function","name":"releaseQuorum","inputs":[],"outputs":[{"name":"","type":"uint256"}],"stateMutability":"view"},
  {"type":"function","name":"requireUnfrozen","inputs":[],"outputs":[],"stateMutability":"view"},
] as const satisfies Abi;
