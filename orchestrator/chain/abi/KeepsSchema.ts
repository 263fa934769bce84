// Generated from contracts/collaboration/predicates/KeepsSchema.sol by `npm run abi`. Do not edit.
import type { Abi } from "viem";

export const keepsSchemaAbi = [
  {"type":"constructor","inputs":[{"name":"constitution","type":"address"}],"stateMutability":"nonpayable"},
  {"type":"error","name":"AlreadyShown","inputs":[{"name":"obligation","type":"bytes32"},{"name":"outputHash","type":"bytes32"}]},
  {"type":"error","name":"ERC5267ExtensionsNotSupported","inputs":[]},
  {"type":"error","name":"Expired","inputs":[{"name":"deadline","type":"uint40"}]},
  {"type":"error","name":"InvalidSignature","inputs":[{"name":"signer","type":"address"}]},
  {"type":"error","name":"IssuerConflict","inputs":[{"name":"issuer","type":"address"},{"name":"principal","type":"address"}]},
  {"type":"error","name":"IssuerNotRegistered","inputs":[{"name":"issuer","type":"address"},{"name":"floor","type":"uint8"}]},
  {"type":"error","name":"NotGenuine","inputs":[{"name":"mission","type":"address"}]},
  {"type":"error","name":"SchemaNotInLaw","inputs":[{"name":"mission","type":"address"},{"name":"node","type":"uint8"},{"name":"schemaHash","type":"bytes32"}]},
  {"type":"error","name":"WrongObligation","inputs":[{"name":"stated","type":"bytes32"},{"name":"current","type":"bytes32"}]},
  {"type":"event","name":"SchemaKept","anonymous":false,"inputs":[{"name":"mission","type":"address","indexed":true},{"name":"node","type":"uint8","indexed":true},{"name":"obligation","type":"bytes32","indexed":true},{"name":"outputHash","type":"bytes32","indexed":false},{"name":"schemaHash","type":"bytes32","indexed":false},{"name":"issuer","type":"address","indexed":false}]},
  {"type":"function","name":"allows","inputs":[{"name":"mission","type":"address"},{"name":"node","type":"uint8"},{"name":"outputHash","type":"bytes32"}],"outputs":[{"name":"","type":"bool"}],"stateMutability":"view"},
  {"type":"function","name":"city","inputs":[],"outputs":[{"name":"","type":"address"}],"stateMutability":"view"},
  {"type":"function","name":"isShown","inputs":[{"name":"obligation","type":"bytes32"},{"name":"outputHash","type":"bytes32"}],"outputs":[{"name":"","type":"bool"}],"stateMutability":"view"},
  {"type":"function","name":"show","inputs":[{"name":"statement","type":"tuple","components":[{"name":"mission","type":"address"},{"name":"node","type":"uint8"},{"name":"obligation","type":"bytes32"},{"name":"outputHash","type":"bytes32"},{"name":"schemaHash","type":"bytes32"},{"name":"issuer","type":"address"},{"name":"deadline","type":"uint40"}]},{"name":"admission","type":"tuple","components":[{"name":"codeHash","type":"bytes32"},{"name":"schemaHash","type":"bytes32"},{"name":"termsHash","type":"bytes32"},{"name":"nodes","type":"uint256"},{"name":"proof","type":"bytes32[]"}]},{"name":"signature","type":"bytes"}],"outputs":[],"stateMutability":"nonpayable"},
] as const satisfies Abi;
