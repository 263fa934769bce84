// Generated from contracts/collaboration/Treasury.sol by `npm run abi`. Do not edit.
import type { Abi } from "viem";

export const treasuryAbi = [
  {"type":"constructor","inputs":[{"name":"constitution","type":"address"}],"stateMutability":"nonpayable"},
  {"type":"error","name":"CapExceeded","inputs":[{"name":"allowed","type":"uint64"},{"name":"wanted","type":"uint64"}]},
  {"type":"error","name":"NotGovernor","inputs":[{"name":"caller","type":"address"}]},
  {"type":"error","name":"NotInsured","inputs":[{"name":"mission","type":"address"},{"name":"agent","type":"address"}]},
  {"type":"error","name":"NotMission","inputs":[{"name":"caller","type":"address"}]},
  {"type":"error","name":"NothingToPay","inputs":[]},
  {"type":"error","name":"ReentrancyGuardReentrantCall","inputs":[]},
  {"type":"error","name":"SafeERC20FailedOperation","inputs":[{"name":"token","type":"address"}]},
  {"type":"error","name":"WrongRecipient","inputs":[{"name":"recipient","type":"address"}]},
  {"type":"event","name":"Disbursed","anonymous":false,"inputs":[{"name":"purpose","type":"uint8","indexed":true},{"name":"recipient","type":"address","indexed":true},{"name":"amount","type":"uint64","indexed":false},{"name":"justification","type":"bytes32","indexed":false}]},
  {"type":"event","name":"FeesReceived","anonymous":false,"inputs":[{"name":"from","type":"address","indexed":true},{"name":"amount","type":"uint64","indexed":false},{"name":"reason","type":"bytes32","indexed":true}]},
  {"type":"event","name":"InsuranceClaimed","anonymous":false,"inputs":[{"name":"mission","type":"address","indexed":true},{"name":"agent","type":"address","indexed":true},{"name":"amount","type":"uint64","indexed":false},{"name":"evidence","type":"bytes32","indexed":false}]},
  {"type":"event","name":"InsuranceReceived","anonymous":false,"inputs":[{"name":"from","type":"address","indexed":true},{"name":"amount","type":"uint64","indexed":false},{"name":"reason","type":"bytes32","indexed":true}]},
  {"type":"event","name":"PremiumPaid","anonymous":false,"inputs":[{"name":"mission","type":"address","indexed":true},{"name":"agent","type":"address","indexed":true},{"name":"wanted","type":"uint64","indexed":false},{"name":"paid","type":"uint64","indexed":false}]},
  {"type":"function","name":"claimInsurance","inputs":[{"name":"mission","type":"address"},{"name":"agent","type":"address"},{"name":"loss","type":"uint64"},{"name":"evidence","type":"bytes32"}],"outputs":[],"stateMutability":"nonpayable"},
  {"type":"function","name":"claimedIn","inputs":[{"name":"mission","type":"address"}],"outputs":[{"name":"","type":"uint64"}],"stateMutability":"view"},
  {"type":"function","name":"deposit","inputs":[{"name":"fees","type":"uint64"},{"name":"insurance","type":"uint64"},{"name":"reason","type":"bytes32"}],"outputs":[],"stateMutability":"nonpayable"},
  {"type":"function","name":"disburse","inputs":[{"name":"purpose","type":"uint8"},{"name":"recipient","type":"address"},{"name":"amount","type":"uint64"},{"name":"justification","type":"bytes32"}],"outputs":[],"stateMutability":"nonpayable"},
  {"type":"function","name":"freeBalance","inputs":[],"outputs":[{"name":"","type":"uint64"}],"stateMutability":"view"},
  {"type":"function","name":"inflowAt","inputs":[{"name":"timestamp","type":"uint40"}],"outputs":[{"name":"inflow","type":"uint64"},{"name":"premiums","type":"uint64"},{"name":"governance","type":"uint64"}],"stateMutability":"view"},
  {"type":"function","name":"insuranceBalance","inputs":[],"outputs":[{"name":"","type":"uint64"}],"stateMutability":"view"},
  {"type":"function","name":"payPremium","inputs":[{"name":"agent","type":"address"},{"name":"principal","type":"address"},{"name":"wanted","type":"uint64"}],"outputs":[{"name":"paid","type":"uint64"}],"stateMutability":"nonpayable"},
] as const satisfies Abi;
