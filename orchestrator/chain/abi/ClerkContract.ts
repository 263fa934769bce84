// Generated from contracts/foundational/ClerkContract.sol by `npm run abi`. Do not edit.
import type { Abi } from "viem";

export const clerkContractAbi = [
  {"type":"constructor","inputs":[{"name":"constitution","type":"address"}],"stateMutability":"nonpayable"},
  {"type":"error","name":"AlreadyClerk","inputs":[{"name":"account","type":"address"}]},
  {"type":"error","name":"EnvelopeExhausted","inputs":[{"name":"office","type":"uint8"},{"name":"selector","type":"bytes4"},{"name":"session","type":"uint256"},{"name":"max","type":"uint16"}]},
  {"type":"error","name":"NotClerk","inputs":[{"name":"office","type":"uint8"},{"name":"account","type":"address"}]},
  {"type":"error","name":"NotGovernor","inputs":[{"name":"caller","type":"address"}]},
  {"type":"error","name":"NotProcedure","inputs":[{"name":"caller","type":"address"}]},
  {"type":"error","name":"OutsideEnvelope","inputs":[{"name":"office","type":"uint8"},{"name":"selector","type":"bytes4"}]},
  {"type":"error","name":"TooManySelectors","inputs":[{"name":"count","type":"uint256"},{"name":"max","type":"uint256"}]},
  {"type":"event","name":"ClerkAppointed","anonymous":false,"inputs":[{"name":"office","type":"uint8","indexed":true},{"name":"clerk","type":"address","indexed":true},{"name":"principal","type":"address","indexed":true}]},
  {"type":"event","name":"ClerkRevoked","anonymous":false,"inputs":[{"name":"office","type":"uint8","indexed":true},{"name":"clerk","type":"address","indexed":true}]},
  {"type":"event","name":"EnvelopeConsumed","anonymous":false,"inputs":[{"name":"office","type":"uint8","indexed":true},{"name":"clerk","type":"address","indexed":true},{"name":"selector","type":"bytes4","indexed":false},{"name":"session","type":"uint256","indexed":true},{"name":"used","type":"uint16","indexed":false}]},
  {"type":"event","name":"EnvelopeSet","anonymous":false,"inputs":[{"name":"office","type":"uint8","indexed":true},{"name":"permitted","type":"bytes4[]","indexed":false},{"name":"maxPerSession","type":"uint16","indexed":false}]},
  {"type":"function","name":"appoint","inputs":[{"name":"office","type":"uint8"},{"name":"clerk","type":"address"},{"name":"principal","type":"address"}],"outputs":[],"stateMutability":"nonpayable"},
  {"type":"function","name":"appointedTo","inputs":[{"name":"office","type":"uint8"}],"outputs":[{"name":"count","type":"uint256"}],"stateMutability":"view"},
  {"type":"function","name":"consume","inputs":[{"name":"office","type":"uint8"},{"name":"clerk","type":"address"},{"name":"selector","type":"bytes4"},{"name":"session","type":"uint256"}],"outputs":[],"stateMutability":"nonpayable"},
  {"type":"function","name":"isClerk","inputs":[{"name":"office","type":"uint8"},{"name":"account","type":"address"}],"outputs":[{"name":"","type":"bool"}],"stateMutability":"view"},
  {"type":"function","name":"isPermitted","inputs":[{"name":"office","type":"uint8"},{"name":"selector","type":"bytes4"}],"outputs":[{"name":"","type":"bool"}],"stateMutability":"view"},
  {"type":"function","name":"revoke","inputs":[{"name":"office","type":"uint8"},{"name":"clerk","type":"address"}],"outputs":[],"stateMutability":"nonpayable"},
  {"type":"function","name":"setEnvelope","inputs":[{"name":"office","type":"uint8"},{"name":"permitted","type":"bytes4[]"},{"name":"maxPerSession","type":"uint16"}],"outputs":[],"stateMutability":"nonpayable"},
  {"type":"function","name":"speaks","inputs":[{"name":"principal","type":"address"}],"outputs":[{"name":"","type":"bool"}],"stateMutability":"view"},
] as const satisfies Abi;
