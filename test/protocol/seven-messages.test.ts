import { expect } from "chai";
import { keccak256 } from "../../orchestrator/primitives/hash.ts";
import { sessionMessageTypes } from "../../orchestrator/protocol/session-messages.ts";
import {
  flawOf,
  MessageRefused,
  requireValid,
  type Seven,
  type SevenFacts,
  type SevenName,
  sevenMessages,
  sevenSchemas,
} from "../../orchestrator/protocol/seven-messages.ts";
import { typedDataTypes } from "../../orchestrator/protocol/typed-data.ts";
import { address } from "../support/goals.ts";

const hashOf = (text: string) => keccak256(new TextEncoder().encode(text));

interface Case<Name extends SevenName> {
  readonly message: Seven<Name>;
  readonly facts: SevenFacts[Name];
  /** What is changed, and the flaw it makes. */
  readonly flaws: readonly (readonly [{ readonly message?: Partial<Seven<Name>>; readonly facts?: Partial<SevenFacts[Name]> }, string])[];
}

const [agent, principal, other] = [address(1), address(2), address(3)];
const nonce = hashOf("nonce");
const spec = { specHash: hashOf("spec"), lawHash: hashOf("law"), docHash: hashOf("document") };

const CASES: { readonly [Name in SevenName]: Case<Name> } = {
  IdentityVerificationRequest: {
    message: { session: 1n, registrar: agent, nonce, minReputation: 100, deadline: 50 },
    facts: { appointed: true, minReputation: 100, deadline: 50 },
    flaws: [
      [{ facts: { appointed: false } }, "office"],
      [{ message: { minReputation: 99 } }, "reputation"],
      [{ message: { deadline: 51 } }, "deadline"],
    ],
  },
  IdentityAttestation: {
    message: { session: 1n, agent, principal, reputation: 500, nonce, deadline: 50 },
    facts: {
      request: { session: 1n, nonce },
      kind: 1,
      principal,
      reputation: 500,
      registeredBlock: 5,
      openedBlock: 6,
      eligible: true,
    },
    flaws: [
      [{ message: { nonce: hashOf("another") } }, "request"],
      [{ message: { session: 2n } }, "request"],
      [{ facts: { kind: 2 } }, "kind"],
      [{ message: { principal: other } }, "principal"],
      [{ message: { reputation: 501 } }, "reputation"],
      [{ facts: { registeredBlock: 6 } }, "registered too late"],
      [{ facts: { eligible: false } }, "not eligible"],
    ],
  },
  DAGProposal: {
    message: { session: 1n, agent, specHash: spec.specHash, cid: hashOf("cid"), deadline: 50 },
    facts: { specHash: spec.specHash, budget: 10n, deposit: 10n },
    flaws: [
      [{ message: { specHash: hashOf("another") } }, "document"],
      [{ facts: { budget: 11n } }, "budget"],
    ],
  },
  TaskBid: {
    message: { agent, mission: other, node: 0, service: hashOf("service"), price: 10n, nonce: 0n, deadline: 50 },
    facts: { kind: 1, registered: true, locked: 5n, minStake: 5n, slotBudget: 10n },
    flaws: [
      [{ facts: { kind: 4 } }, "kind"],
      [{ facts: { registered: false } }, "service"],
      [{ facts: { locked: 4n } }, "stake"],
      [{ message: { price: 11n } }, "price"],
    ],
  },
  RegulatoryDecision: {
    message: { regulator: agent, mission: other, nodes: 3n, deadline: 50 },
    facts: { appointed: true, uncovered: 0, fairness: 600, minFairness: 600 },
    flaws: [
      [{ facts: { appointed: false } }, "office"],
      [{ facts: { uncovered: 1 } }, "uncovered nodes"],
      [{ facts: { fairness: 599 } }, "fairness"],
    ],
  },
  CodedContractSpecification: {
    message: { session: 1n, codifier: agent, ...spec, template: other },
    facts: { appointed: true, chosen: spec.specHash, lawHash: spec.lawHash, docHash: spec.docHash, validated: true, template: other },
    flaws: [
      [{ facts: { appointed: false } }, "office"],
      [{ message: { specHash: hashOf("another") } }, "another law"],
      [{ message: { lawHash: hashOf("another") } }, "document"],
      [{ message: { docHash: hashOf("another") } }, "document"],
      [{ facts: { validated: false } }, "constitution"],
      [{ message: { template: agent } }, "template"],
    ],
  },
  LegislativeApproval: {
    message: { clerk: agent, office: 1, session: 1n, specHash: spec.specHash, deadline: 50 },
    facts: { appointed: true, specification: spec.specHash },
    flaws: [
      [{ facts: { appointed: false } }, "office"],
      [{ message: { office: 3 } }, "office"],
      [{ message: { office: 0 } }, "office"],
      [{ message: { specHash: hashOf("another") } }, "another specification"],
    ],
  },
};

const names = Object.keys(CASES) as SevenName[];

function check<Name extends SevenName>(name: Name, { message, facts, flaws }: Case<Name>): void {
  expect(sevenSchemas[name].safeParse(message).success).to.equal(true);
  expect(flawOf(name, message, facts)).to.equal(null);
  for (const [change, flaw] of flaws) {
    const changed: Seven<Name> = Object.assign({}, message, change.message);
    const known: SevenFacts[Name] = Object.assign({}, facts, change.facts);
    expect(flawOf(name, changed, known)).to.equal(flaw);
    expect(() => requireValid(name, changed, known))
      .to.throw(MessageRefused, `${name} (MSG_TYPE_${sevenMessages[name].number}) does not hold: ${flaw}`)
      .with.property("flaw", flaw);
  }
}

describe("the seven messages of the legislature", () => {
  it("are seven, numbered as in the paper, each signed under a type that somebody can sign", () => {
    expect(names.map((name) => sevenMessages[name].number)).to.deep.equal([1, 2, 3, 4, 5, 6, 7]);
    for (const name of names) expect({ ...typedDataTypes, ...sessionMessageTypes }).to.have.property(sevenMessages[name].signedAs);
  });

  it("hold every field that their signature covers", () => {
    const types: Readonly<Record<string, readonly { readonly name: string }[]>> = { ...typedDataTypes, ...sessionMessageTypes };
    for (const name of names) {
      const fields = types[sevenMessages[name].signedAs]?.map((field) => field.name);
      // A decision's attempt and nonce are the market's, which the contract checks.
      expect(fields, name).to.include.members(Object.keys(sevenSchemas[name].shape));
    }
  });

  for (const name of names) {
    it(`${name} holds, and is refused by name for each thing that can be wrong with it`, () => check(name, CASES[name] as never));
  }
});
