/** Who counts as one party, by keys and by what a registry says of its agents. */
import { expect } from "chai";
import {
  type AgentAccounts,
  type Agreement,
  type PartyIdentity,
  proposalFrom,
  readAgreement,
  requireKeys,
  templateOf,
} from "../../orchestrator/agreements/index.ts";
import { accountOf as accountOfKey } from "../../orchestrator/escrow/index.ts";
import type { ByteSigner } from "../../orchestrator/primitives/signing.ts";
import { rejection } from "../support/rejection.ts";
import { identityOf, people, recordOf, signerNamed } from "./acts.ts";

const REGISTRY = `eip155:1:0x${"8004".repeat(10)}`;
const [one, other] = [signerNamed("one agent", "secp256k1"), signerNamed("another agent", "secp256k1")];
const agent = (id: number, { publicKey }: ByteSigner): PartyIdentity => ({
  scheme: "erc8004",
  value: `${REGISTRY}/${id}`,
  key: publicKey.key,
});
const accountOf = ({ publicKey }: ByteSigner) => accountOfKey(publicKey) ?? "";

/** A registry in which agent 1 is of `one`, agent 2 of `other`, and both belong to `owners`. */
const registry = (owners: readonly [string, string]): AgentAccounts => ({
  of: async ({ agentId }) => (agentId === 1n ? [owners[0], accountOf(one)] : [owners[1], accountOf(other)]),
  ofKey: accountOfKey,
});
const STRANGERS = [`0x${"a1".repeat(20)}`, `0x${"a2".repeat(20)}`] as const;

function termsOf(provider: PartyIdentity, evaluator: Agreement["parties"]["evaluator"]): Agreement {
  const parties = { client: { identity: identityOf(people.client) }, provider: { identity: provider }, evaluator };
  const at = { agreement_id: "asa-agents", created_at: "2027-01-15T08:00:00Z", expires_at: "2027-01-25T08:00:00Z" };
  return readAgreement(proposalFrom(templateOf("research"), { ...at, parties, description: "Literature", deliverable_format: "markdown" }));
}
const judgedBy = (identity: PartyIdentity) => ({ identity, type: "agent_as_judge" as const });

describe("agents as parties", () => {
  it("are one party if one account owns them, under whatever keys", async () => {
    const terms = termsOf(agent(1, one), judgedBy(agent(2, other)));
    await requireKeys(terms, registry(STRANGERS));
    const [owner] = STRANGERS;
    expect((await rejection(requireKeys(terms, registry([owner, owner])))).name).to.equal("OneParty");
    expect((await rejection(requireKeys(terms, registry([accountOf(other), owner])))).name, "the other's account").to.equal("OneParty");
  });

  it("are one party with the key of their owner", async () => {
    const owned = termsOf(agent(1, one), judgedBy(identityOf(other)));
    expect((await rejection(requireKeys(owned, registry([accountOf(other), STRANGERS[1]])))).name).to.equal("OneParty");
    await requireKeys(owned, registry(STRANGERS));
  });

  it("may be in a register that also lists a party, which the draw leaves out", async () => {
    const register = [recordOf(identityOf(people.evaluator)), recordOf(agent(1, one))];
    const commitment = `0x${"11".repeat(32)}`;
    const terms = termsOf(agent(1, one), { type: "agent_as_judge", selection: { mode: "random", register, commitment } });
    await requireKeys(terms, registry(STRANGERS));
  });

  it("are not known while their registry does not answer, and nothing is refused for it", async () => {
    const of = async () => {
      throw new RangeError("no answer");
    };
    const silent = { of, ofKey: accountOfKey };
    expect(await rejection(requireKeys(termsOf(agent(1, one), judgedBy(identityOf(people.evaluator))), silent))).to.be.instanceOf(
      RangeError,
    );
  });
});
