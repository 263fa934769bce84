// Generated from contracts/foundational/ManagementContract.sol by `npm run abi`. Do not edit.
import type { Abi } from "viem";

export const managementContractAbi = [
  {"type":"constructor","inputs":[{"name":"constitution","type":"address"}],"stateMutability":"nonpayable"},
  {"type":"error","name":"AlreadyRecorded","inputs":[{"name":"delegation","type":"bytes32"}]},
  {"type":"error","name":"MissingIntermediate","inputs":[{"name":"delegation","type":"bytes32"}]},
  {"type":"error","name":"MissingOutput","inputs":[{"name":"delegation","type":"bytes32"}]},
  {"type":"error","name":"NoMandate","inputs":[{"name":"operation","type":"bytes32"}]},
  {"type":"error","name":"NotClerk","inputs":[{"name":"office","type":"uint8"},{"name":"account","type":"address"}]},
  {"type":"error","name":"NotGovernor","inputs":[{"name":"caller","type":"address"}]},
  {"type":"error","name":"ServiceUnavailable","inputs":[{"name":"service","type":"bytes32"}]},
  {"type":"error","name":"TooManyMandates","inputs":[{"name":"office","type":"uint8"},{"name":"max","type":"uint256"}]},
  {"type":"error","name":"UnknownDelegation","inputs":[{"name":"delegation","type":"bytes32"}]},
  {"type":"error","name":"WrongService","inputs":[{"name":"operation","type":"bytes32"},{"name":"required","type":"bytes32"},{"name":"given","type":"bytes32"}]},
  {"type":"event","name":"Delegated","anonymous":false,"inputs":[{"name":"delegation","type":"bytes32","indexed":true},{"name":"clerk","type":"address","indexed":true},{"name":"operation","type":"bytes32","indexed":true},{"name":"service","type":"bytes32","indexed":false},{"name":"inputHash","type":"bytes32","indexed":false}]},
  {"type":"event","name":"DelegationRecorded","anonymous":false,"inputs":[{"name":"delegation","type":"bytes32","indexed":true},{"name":"outputHash","type":"bytes32","indexed":false},{"name":"intermediateHash","type":"bytes32","indexed":false}]},
  {"type":"event","name":"MandateSet","anonymous":false,"inputs":[{"name":"office","type":"uint8","indexed":true},{"name":"operation","type":"bytes32","indexed":true},{"name":"service","type":"bytes32","indexed":false},{"name":"needsIntermediate","type":"bool","indexed":false},{"name":"schemaHash","type":"bytes32","indexed":false}]},
  {"type":"function","name":"delegate","inputs":[{"name":"session","type":"uint256"},{"name":"operation","type":"bytes32"},{"name":"service","type":"bytes32"},{"name":"inputHash","type":"bytes32"}],"outputs":[{"name":"delegation","type":"bytes32"}],"stateMutability":"nonpayable"},
  {"type":"function","name":"delegationId","inputs":[{"name":"session","type":"uint256"},{"name":"operation","type":"bytes32"},{"name":"inputHash","type":"bytes32"}],"outputs":[{"name":"","type":"bytes32"}],"stateMutability":"pure"},
  {"type":"function","name":"delegationOf","inputs":[{"name":"delegation","type":"bytes32"}],"outputs":[{"name":"","type":"tuple","components":[{"name":"operation","type":"bytes32"},{"name":"inputHash","type":"bytes32"},{"name":"outputHash","type":"bytes32"},{"name":"intermediateHash","type":"bytes32"},{"name":"clerk","type":"address"}]}],"stateMutability":"view"},
  {"type":"function","name":"mandateOf","inputs":[{"name":"operation","type":"bytes32"}],"outputs":[{"name":"","type":"tuple","components":[{"name":"office","type":"uint8"},{"name":"needsIntermediate","type":"bool"},{"name":"service","type":"bytes32"},{"name":"schemaHash","type":"bytes32"}]}],"stateMutability":"view"},
  {"type":"function","name":"operationsOf","inputs":[{"name":"office","type":"uint8"}],"outputs":[{"name":"","type":"bytes32[]"}],"stateMutability":"view"},
  {"type":"function","name":"recordResult","inputs":[{"name":"delegation","type":"bytes32"},{"name":"outputHash","type":"bytes32"},{"name":"intermediateHash","type":"bytes32"}],"outputs":[],"stateMutability":"nonpayable"},
  {"type":"function","name":"setMandate","inputs":[{"name":"office","type":"uint8"},{"name":"operation","type":"bytes32"},{"name":"service","type":"bytes32"},{"name":"needsIntermediate","type":"bool"},{"name":"schemaHash","type":"bytes32"}],"outputs":[],"stateMutability":"nonpayable"},
] as const satisfies Abi;
