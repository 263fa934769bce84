// Generated from contracts/foundational/ConstitutionContract.sol by `npm run abi`. Do not edit.
import type { Abi } from "viem";

export const constitutionContractAbi = [
  {"type":"constructor","inputs":[{"name":"mandateHash","type":"bytes32"},{"name":"mandateCid","type":"bytes32"},{"name":"values","type":"uint64[]"}],"stateMutability":"nonpayable"},
  {"type":"error","name":"AlreadySealed","inputs":[]},
  {"type":"error","name":"AlreadyWired","inputs":[{"name":"institution","type":"uint8"},{"name":"at","type":"address"}]},
  {"type":"error","name":"LengthMismatch","inputs":[{"name":"have","type":"uint256"},{"name":"need","type":"uint256"}]},
  {"type":"error","name":"NotAContract","inputs":[{"name":"institution","type":"uint8"},{"name":"at","type":"address"}]},
  {"type":"error","name":"NotDeployer","inputs":[{"name":"caller","type":"address"}]},
  {"type":"error","name":"NotGovernor","inputs":[{"name":"caller","type":"address"}]},
  {"type":"error","name":"NotWired","inputs":[{"name":"institution","type":"uint8"}]},
  {"type":"error","name":"ParamTooLarge","inputs":[{"name":"firstBit","type":"uint256"},{"name":"value","type":"uint256"}]},
  {"type":"error","name":"ParameterOutOfRange","inputs":[{"name":"param","type":"uint8"},{"name":"value","type":"uint256"},{"name":"min","type":"uint256"},{"name":"max","type":"uint256"}]},
  {"type":"event","name":"ParameterSet","anonymous":false,"inputs":[{"name":"param","type":"uint8","indexed":true},{"name":"previous","type":"uint256","indexed":false},{"name":"value","type":"uint256","indexed":false},{"name":"justification","type":"bytes32","indexed":false}]},
  {"type":"event","name":"Sealed","anonymous":false,"inputs":[{"name":"deployer","type":"address","indexed":true}]},
  {"type":"event","name":"Wired","anonymous":false,"inputs":[{"name":"institution","type":"uint8","indexed":true},{"name":"at","type":"address","indexed":false}]},
  {"type":"function","name":"at","inputs":[{"name":"institution","type":"uint8"}],"outputs":[{"name":"wired","type":"address"}],"stateMutability":"view"},
  {"type":"function","name":"isGovernor","inputs":[{"name":"account","type":"address"}],"outputs":[{"name":"","type":"bool"}],"stateMutability":"view"},
  {"type":"function","name":"isSealed","inputs":[],"outputs":[{"name":"","type":"bool"}],"stateMutability":"view"},
  {"type":"function","name":"mandate","inputs":[],"outputs":[{"name":"hash","type":"bytes32"},{"name":"cid","type":"bytes32"}],"stateMutability":"view"},
  {"type":"function","name":"missionParams","inputs":[],"outputs":[{"name":"packed","type":"uint256"}],"stateMutability":"view"},
  {"type":"function","name":"param","inputs":[{"name":"which","type":"uint8"}],"outputs":[{"name":"","type":"uint256"}],"stateMutability":"view"},
  {"type":"function","name":"paramInUnits","inputs":[{"name":"which","type":"uint8"}],"outputs":[{"name":"","type":"uint64"}],"stateMutability":"view"},
  {"type":"function","name":"seal","inputs":[],"outputs":[],"stateMutability":"nonpayable"},
  {"type":"function","name":"setParam","inputs":[{"name":"which","type":"uint8"},{"name":"value","type":"uint256"},{"name":"justification","type":"bytes32"}],"outputs":[],"stateMutability":"nonpayable"},
  {"type":"function","name":"standingOf","inputs":[{"name":"institution","type":"uint8"},{"name":"procedure","type":"address"}],"outputs":[{"name":"","type":"uint8"}],"stateMutability":"view"},
  {"type":"function","name":"wire","inputs":[{"name":"institutions","type":"uint8[]"},{"name":"addresses","type":"address[]"}],"outputs":[],"stateMutability":"nonpayable"},
] as const satisfies Abi;
