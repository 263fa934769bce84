// Generated from contracts/meta/AdjudicationProcedure.sol by `npm run abi`. Do not edit.
import type { Abi } from "viem";

export const adjudicationProcedureAbi = [
  {"type":"constructor","inputs":[{"name":"constitution","type":"address"}],"stateMutability":"nonpayable"},
  {"type":"error","name":"ActionUnavailable","inputs":[{"name":"action","type":"uint8"}]},
  {"type":"error","name":"AlreadyExecuted","inputs":[{"name":"digest","type":"bytes32"}]},
  {"type":"error","name":"Conflicted","inputs":[{"name":"adjudicator","type":"address"},{"name":"mission","type":"address"}]},
  {"type":"error","name":"Expired","inputs":[{"name":"deadline","type":"uint40"}]},
  {"type":"error","name":"InvalidShortString","inputs":[]},
  {"type":"error","name":"InvalidSignature","inputs":[{"name":"signer","type":"address"}]},
  {"type":"error","name":"NotAdjudicator","inputs":[{"name":"account","type":"address"}]},
  {"type":"error","name":"NotEnoughSignatures","inputs":[{"name":"have","type":"uint256"},{"name":"need","type":"uint256"}]},
  {"type":"error","name":"NotGenuine","inputs":[{"name":"mission","type":"address"}]},
  {"type":"error","name":"RotationRequired","inputs":[{"name":"adjudicator","type":"address"},{"name":"mission","type":"address"},{"name":"action","type":"uint8"}]},
  {"type":"error","name":"SignersUnsorted","inputs":[{"name":"previous","type":"address"},{"name":"next","type":"address"}]},
  {"type":"error","name":"StaleCase","inputs":[{"name":"signed","type":"bytes32"},{"name":"current","type":"bytes32"}]},
  {"type":"error","name":"StringTooLong","inputs":[{"name":"str","type":"string"}]},
  {"type":"event","name":"EIP712DomainChanged","anonymous":false,"inputs":[]},
  {"type":"event","name":"OverrideExecuted","anonymous":false,"inputs":[{"name":"digest","type":"bytes32","indexed":true},{"name":"action","type":"uint8","indexed":true},{"name":"mission","type":"address","indexed":true},{"name":"node","type":"uint8","indexed":false},{"name":"target","type":"address","indexed":false},{"name":"adjudicators","type":"address[]","indexed":false},{"name":"justification","type":"bytes32","indexed":false}]},
  {"type":"function","name":"act","inputs":[{"name":"action","type":"tuple","components":[{"name":"action","type":"uint8"},{"name":"mission","type":"address"},{"name":"node","type":"uint8"},{"name":"target","type":"address"},{"name":"data","type":"bytes"},{"name":"justification","type":"bytes32"},{"name":"caseHash","type":"bytes32"},{"name":"salt","type":"uint256"},{"name":"deadline","type":"uint40"}]},{"name":"signatures","type":"tuple[]","components":[{"name":"adjudicator","type":"address"},{"name":"signature","type":"bytes"}]}],"outputs":[],"stateMutability":"nonpayable"},
  {"type":"function","name":"digestOf","inputs":[{"name":"action","type":"tuple","components":[{"name":"action","type":"uint8"},{"name":"mission","type":"address"},{"name":"node","type":"uint8"},{"name":"target","type":"address"},{"name":"data","type":"bytes"},{"name":"justification","type":"bytes32"},{"name":"caseHash","type":"bytes32"},{"name":"salt","type":"uint256"},{"name":"deadline","type":"uint40"}]}],"outputs":[{"name":"","type":"bytes32"}],"stateMutability":"view"},
  {"type":"function","name":"eip712Domain","inputs":[],"outputs":[{"name":"fields","type":"bytes1"},{"name":"name","type":"string"},{"name":"version","type":"string"},{"name":"chainId","type":"uint256"},{"name":"verifyingContract","type":"address"},{"name":"salt","type":"bytes32"},{"name":"extensions","type":"uint256[]"}],"stateMutability":"view"},
  {"type":"function","name":"isExecuted","inputs":[{"name":"digest","type":"bytes32"}],"outputs":[{"name":"","type":"bool"}],"stateMutability":"view"},
  {"type":"function","name":"rowOf","inputs":[{"name":"action","type":"uint8"}],"outputs":[{"name":"","type":"tuple","components":[{"name":"signatures","type":"uint8"},{"name":"enabled","type":"bool"},{"name":"onMission","type":"bool"},{"name":"rotates","type":"bool"}]}],"stateMutability":"view"},
] as const satisfies Abi;
