// Generated from contracts/meta/AdjudicatorRoster.sol by `npm run abi`. Do not edit.
import type { Abi } from "viem";

export const adjudicatorRosterAbi = [
  {"type":"constructor","inputs":[{"name":"constitution","type":"address"}],"stateMutability":"nonpayable"},
  {"type":"error","name":"AlreadySeated","inputs":[{"name":"adjudicator","type":"address"}]},
  {"type":"error","name":"NotGovernor","inputs":[{"name":"caller","type":"address"}]},
  {"type":"error","name":"NotSeated","inputs":[{"name":"adjudicator","type":"address"}]},
  {"type":"error","name":"NothingToWithdraw","inputs":[{"name":"adjudicator","type":"address"}]},
  {"type":"error","name":"PrincipalAlreadySeated","inputs":[{"name":"principal","type":"address"}]},
  {"type":"error","name":"ReentrancyGuardReentrantCall","inputs":[]},
  {"type":"error","name":"SafeERC20FailedOperation","inputs":[{"name":"token","type":"address"}]},
  {"type":"error","name":"Shortfall","inputs":[{"name":"from","type":"address"},{"name":"wanted","type":"uint256"},{"name":"received","type":"uint256"}]},
  {"type":"error","name":"StillUnbonding","inputs":[{"name":"adjudicator","type":"address"},{"name":"until","type":"uint40"}]},
  {"type":"error","name":"TooManySeats","inputs":[{"name":"max","type":"uint256"}]},
  {"type":"event","name":"Resigned","anonymous":false,"inputs":[{"name":"adjudicator","type":"address","indexed":true},{"name":"withdrawableAt","type":"uint40","indexed":false}]},
  {"type":"event","name":"Seated","anonymous":false,"inputs":[{"name":"adjudicator","type":"address","indexed":true},{"name":"principal","type":"address","indexed":true},{"name":"stake","type":"uint64","indexed":false}]},
  {"type":"event","name":"StakeWithdrawn","anonymous":false,"inputs":[{"name":"adjudicator","type":"address","indexed":true},{"name":"amount","type":"uint64","indexed":false}]},
  {"type":"function","name":"activeCount","inputs":[],"outputs":[{"name":"","type":"uint256"}],"stateMutability":"view"},
  {"type":"function","name":"hasQuorum","inputs":[],"outputs":[{"name":"","type":"bool"}],"stateMutability":"view"},
  {"type":"function","name":"isActive","inputs":[{"name":"adjudicator","type":"address"}],"outputs":[{"name":"","type":"bool"}],"stateMutability":"view"},
  {"type":"function","name":"isConflicted","inputs":[{"name":"adjudicator","type":"address"},{"name":"mission","type":"address"}],"outputs":[{"name":"","type":"bool"}],"stateMutability":"view"},
  {"type":"function","name":"principalOf","inputs":[{"name":"adjudicator","type":"address"}],"outputs":[{"name":"","type":"address"}],"stateMutability":"view"},
  {"type":"function","name":"resign","inputs":[],"outputs":[],"stateMutability":"nonpayable"},
  {"type":"function","name":"seat","inputs":[{"name":"adjudicator","type":"address"},{"name":"principal","type":"address"}],"outputs":[],"stateMutability":"nonpayable"},
  {"type":"function","name":"withdrawStake","inputs":[],"outputs":[],"stateMutability":"nonpayable"},
] as const satisfies Abi;
