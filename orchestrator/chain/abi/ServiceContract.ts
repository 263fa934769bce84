// Generated from contracts/foundational/ServiceContract.sol by `npm run abi`. Do not edit.
import type { Abi } from "viem";

export const serviceContractAbi = [
  {"type":"constructor","inputs":[],"stateMutability":"nonpayable"},
  {"type":"error","name":"AlreadyRegistered","inputs":[{"name":"service","type":"bytes32"}]},
  {"type":"error","name":"Expired","inputs":[{"name":"deadline","type":"uint40"}]},
  {"type":"error","name":"InvalidShortString","inputs":[]},
  {"type":"error","name":"InvalidSignature","inputs":[{"name":"signer","type":"address"}]},
  {"type":"error","name":"NotOwner","inputs":[{"name":"service","type":"bytes32"},{"name":"caller","type":"address"}]},
  {"type":"error","name":"StringTooLong","inputs":[{"name":"str","type":"string"}]},
  {"type":"error","name":"UnknownService","inputs":[{"name":"service","type":"bytes32"}]},
  {"type":"error","name":"ZeroCodeHash","inputs":[]},
  {"type":"event","name":"EIP712DomainChanged","anonymous":false,"inputs":[]},
  {"type":"event","name":"ServiceDeprecated","anonymous":false,"inputs":[{"name":"service","type":"bytes32","indexed":true}]},
  {"type":"event","name":"ServiceRegistered","anonymous":false,"inputs":[{"name":"service","type":"bytes32","indexed":true},{"name":"owner","type":"address","indexed":true},{"name":"codeHash","type":"bytes32","indexed":true},{"name":"schemaHash","type":"bytes32","indexed":false},{"name":"endpoint","type":"string","indexed":false},{"name":"constraints","type":"bytes32","indexed":false}]},
  {"type":"function","name":"deprecateService","inputs":[{"name":"service","type":"bytes32"}],"outputs":[],"stateMutability":"nonpayable"},
  {"type":"function","name":"eip712Domain","inputs":[],"outputs":[{"name":"fields","type":"bytes1"},{"name":"name","type":"string"},{"name":"version","type":"string"},{"name":"chainId","type":"uint256"},{"name":"verifyingContract","type":"address"},{"name":"salt","type":"bytes32"},{"name":"extensions","type":"uint256[]"}],"stateMutability":"view"},
  {"type":"function","name":"idOf","inputs":[{"name":"record","type":"tuple","components":[{"name":"owner","type":"address"},{"name":"codeHash","type":"bytes32"},{"name":"schemaHash","type":"bytes32"},{"name":"endpoint","type":"string"},{"name":"constraints","type":"bytes32"}]}],"outputs":[{"name":"","type":"bytes32"}],"stateMutability":"pure"},
  {"type":"function","name":"isLive","inputs":[{"name":"service","type":"bytes32"}],"outputs":[{"name":"","type":"bool"}],"stateMutability":"view"},
  {"type":"function","name":"ownerOf","inputs":[{"name":"service","type":"bytes32"}],"outputs":[{"name":"","type":"address"}],"stateMutability":"view"},
  {"type":"function","name":"registerService","inputs":[{"name":"codeHash","type":"bytes32"},{"name":"schemaHash","type":"bytes32"},{"name":"endpoint","type":"string"},{"name":"constraints","type":"bytes32"},{"name":"auth","type":"tuple","components":[{"name":"agent","type":"address"},{"name":"deadline","type":"uint40"},{"name":"signature","type":"bytes"}]}],"outputs":[{"name":"service","type":"bytes32"}],"stateMutability":"nonpayable"},
  {"type":"function","name":"sellerOf","inputs":[{"name":"service","type":"bytes32"}],"outputs":[{"name":"","type":"address"}],"stateMutability":"view"},
  {"type":"function","name":"verifyCodeHash","inputs":[{"name":"service","type":"bytes32"},{"name":"record","type":"tuple","components":[{"name":"owner","type":"address"},{"name":"codeHash","type":"bytes32"},{"name":"schemaHash","type":"bytes32"},{"name":"endpoint","type":"string"},{"name":"constraints","type":"bytes32"}]},{"name":"liveHash","type":"bytes32"}],"outputs":[{"name":"","type":"bool"}],"stateMutability":"view"},
] as const satisfies Abi;
