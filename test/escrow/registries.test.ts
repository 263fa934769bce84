import { peerContract } from "../support/peer-contract.ts";
import { describeRegistries } from "../support/registries-suite.ts";

const peer = (name: string) => peerContract("DraftRegistries.sol", name);

describeRegistries("ERC-8004, by the draft's text", () => ({
  identities: ({ deploy }) => deploy(peer("DraftIdentities")),
  reputations: ({ deploy }, identities) => deploy(peer("DraftReputations"), [identities]),
  validations: ({ deploy }, identities) => deploy(peer("DraftValidations"), [identities]),
}));
