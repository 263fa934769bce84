// Generated from contracts/meta/TemplateRegistry.sol by `npm run abi`. Do not edit.
import type { Abi } from "viem";

export const templateRegistryAbi = [
  {"type":"constructor","inputs":[{"name":"constitution","type":"address"}],"stateMutability":"nonpayable"},
  {"type":"error","name":"CloneArgumentsTooLong","inputs":[]},
  {"type":"error","name":"Create2EmptyBytecode","inputs":[]},
  {"type":"error","name":"FailedDeployment","inputs":[]},
  {"type":"error","name":"InsufficientBalance","inputs":[{"name":"balance","type":"uint256"},{"name":"needed","type":"uint256"}]},
  {"type":"error","name":"MalformedHeader","inputs":[{"name":"word","type":"uint256"}]},
  {"type":"error","name":"MalformedLaw","inputs":[{"name":"length","type":"uint256"},{"name":"nodeCount","type":"uint256"}]},
  {"type":"error","name":"MalformedParams","inputs":[{"name":"word","type":"uint256"}]},
  {"type":"error","name":"NotATemplate","inputs":[{"name":"implementation","type":"address"}]},
  {"type":"error","name":"NotGovernor","inputs":[{"name":"caller","type":"address"}]},
  {"type":"error","name":"NotLegislation","inputs":[{"name":"caller","type":"address"}]},
  {"type":"error","name":"Unfaithful","inputs":[{"name":"mission","type":"address"},{"name":"given","type":"bytes32"},{"name":"reported","type":"bytes32"}]},
  {"type":"error","name":"UnknownTemplate","inputs":[{"name":"name","type":"bytes32"},{"name":"version","type":"uint32"}]},
  {"type":"event","name":"MissionDeployed","anonymous":false,"inputs":[{"name":"mission","type":"address","indexed":true},{"name":"template","type":"bytes32","indexed":true},{"name":"version","type":"uint32","indexed":false},{"name":"session","type":"uint256","indexed":true},{"name":"legislation","type":"address","indexed":false},{"name":"execution","type":"address","indexed":false}]},
  {"type":"event","name":"TemplatePublished","anonymous":false,"inputs":[{"name":"name","type":"bytes32","indexed":true},{"name":"version","type":"uint32","indexed":true},{"name":"implementation","type":"address","indexed":false},{"name":"auditHash","type":"bytes32","indexed":false}]},
  {"type":"function","name":"deploy","inputs":[{"name":"name","type":"bytes32"},{"name":"version","type":"uint32"},{"name":"args","type":"bytes"},{"name":"session","type":"uint256"}],"outputs":[{"name":"mission","type":"address"}],"stateMutability":"nonpayable"},
  {"type":"function","name":"executionOf","inputs":[{"name":"mission","type":"address"}],"outputs":[{"name":"","type":"address"}],"stateMutability":"view"},
  {"type":"function","name":"isGenuine","inputs":[{"name":"mission","type":"address"}],"outputs":[{"name":"","type":"bool"}],"stateMutability":"view"},
  {"type":"function","name":"latestVersion","inputs":[{"name":"name","type":"bytes32"}],"outputs":[{"name":"","type":"uint32"}],"stateMutability":"view"},
  {"type":"function","name":"missionOf","inputs":[{"name":"mission","type":"address"}],"outputs":[{"name":"","type":"tuple","components":[{"name":"template","type":"bytes32"},{"name":"version","type":"uint32"},{"name":"legislation","type":"address"},{"name":"execution","type":"address"}]}],"stateMutability":"view"},
  {"type":"function","name":"predict","inputs":[{"name":"name","type":"bytes32"},{"name":"version","type":"uint32"},{"name":"args","type":"bytes"},{"name":"session","type":"uint256"}],"outputs":[{"name":"","type":"address"}],"stateMutability":"view"},
  {"type":"function","name":"publish","inputs":[{"name":"name","type":"bytes32"},{"name":"implementation","type":"address"},{"name":"auditHash","type":"bytes32"}],"outputs":[{"name":"version","type":"uint32"}],"stateMutability":"nonpayable"},
  {"type":"function","name":"templateOf","inputs":[{"name":"name","type":"bytes32"},{"name":"version","type":"uint32"}],"outputs":[{"name":"","type":"tuple","components":[{"name":"implementation","type":"address"},{"name":"auditHash","type":"bytes32"}]}],"stateMutability":"view"},
] as const satisfies Abi;
