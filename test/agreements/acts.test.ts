import { expect } from "chai";
import {
  type Act,
  type AgreementLife,
  AgreementRefused,
  agreementHash,
  didOf,
  draftMessage,
  draftResult,
  keyOfDid,
  lifeAt,
  lifeOf,
  messageBytes,
  messageHash,
  openLife,
  type Party,
  proposalFrom,
  resultHash,
  type SignedKind,
  statementHash,
  take,
  templateOf,
} from "../../orchestrator/agreements/index.ts";
import { sha256Bytes } from "../../orchestrator/primitives/hash.ts";
import type { Hash } from "../../orchestrator/primitives/hex.ts";
import { type ByteSigner, signerOf } from "../../orchestrator/primitives/signing.ts";

const START = 1_800_000_000;
const iso = (seconds: number) => new Date(seconds * 1_000).toISOString().replace(".000Z", "Z");
const signerNamed = (name: string, algorithm: "ed25519" | "secp256k1" = "ed25519") =>
  signerOf(algorithm, sha256Bytes(new TextEncoder().encode(name)));
const people = {
  client: signerNamed("a client"),
  provider: signerNamed("a provider", "secp256k1"),
  evaluator: signerNamed("an evaluator"),
  backup: signerNamed("a backup"),
};
const identityOf = ({ publicKey }: ByteSigner) => ({ scheme: "w3c_did" as const, value: didOf(publicKey) });
const seal = (by: ByteSigner, kind: SignedKind, hash: Hash) => by.sign(messageBytes(kind, hash));

/** Without money: an escrow's agreements are led by their escrow, which the gateway's tests show. */
const proposal = proposalFrom(templateOf("research"), {
  agreement_id: "asa-acts",
  created_at: iso(START),
  expires_at: iso(START + 864_000),
  parties: {
    client: { identity: identityOf(people.client) },
    provider: { identity: identityOf(people.provider) },
    evaluator: { identity: identityOf(people.evaluator), type: "agent_as_judge", backup: identityOf(people.backup) },
  },
  description: "Literature",
  deliverable_format: "markdown",
  verification: { strategy: "optimistic", depth: "semantic", challenge_window_seconds: 7_200, evaluator_timeout_seconds: 600 },
});
const DELIVERABLE: Hash = `0x${"22".repeat(32)}`;
const MEASURED = { accuracy: 88, completeness: 82, relevance: 91, sources: 5, writing: 82 };

const propose: Act = {
  act: "propose",
  document: JSON.parse(JSON.stringify(proposal)),
  signature: seal(people.client, "proposal", agreementHash(proposal)),
};
const accept = (life: AgreementLife, by: Party): Act => {
  const message = draftMessage(life.negotiation, { by, action: "accept", rationale_code: "other", timestamp: iso(START) });
  return {
    act: "negotiate",
    message: { ...JSON.parse(JSON.stringify(message)), signature: seal(people[by], "message", messageHash(message)) },
  };
};
const sign = ({ agreement }: AgreementLife, by: Party, as: Party = by): Act => ({
  ...{ act: "sign", by, signature: seal(people[as], "agreement", agreementHash(agreement)) },
});
const deliver = ({ agreement }: AgreementLife): Act => {
  const delivery = { agreement_hash: agreementHash(agreement), deliverable_hash: DELIVERABLE, timestamp: iso(START) };
  return { act: "deliver", delivery, signature: seal(people.provider, "delivery", statementHash(delivery)) };
};
const result = ({ agreement }: AgreementLife, by: "evaluator" | "backup"): Act => {
  const at = { verification_id: "v", timestamp: iso(START), deliverableHash: DELIVERABLE, identity: identityOf(people[by]) };
  const measurement = { measured: MEASURED, evidence: {}, problems: [], confidence: 1, cost: 0 };
  const body = draftResult(agreement, at, measurement);
  return { act: "result", result: { ...JSON.parse(JSON.stringify(body)), signature: seal(people[by], "result", resultHash(body)) } };
};
const challenge = ({ agreement, results }: AgreementLife, by: Party): Act => {
  const said = { agreement_hash: agreementHash(agreement), result_hash: results.at(-1)?.hash ?? DELIVERABLE, by, timestamp: iso(START) };
  return { act: "challenge", challenge: said, signature: seal(people[by], "challenge", statementHash(said)) };
};
const cancel = ({ agreement }: AgreementLife, as: Party = "provider"): Act => {
  const cancellation = { agreement_hash: agreementHash(agreement), timestamp: iso(START) };
  const by = (who: Party) => seal(people[who], "cancellation", statementHash(cancellation));
  return { act: "cancel", cancellation, signatures: { client: by("client"), provider: by(as) } };
};

/** A life, and each act with its second. */
function living() {
  const acts: { act: Act; at: number }[] = [{ act: propose, at: START }];
  let life = openLife(propose, { keyOf: keyOfDid, now: START });
  return {
    life: () => life,
    acts,
    do(act: (life: AgreementLife) => Act, at = START) {
      const made = act(life);
      life = take(life, made, { keyOf: keyOfDid, now: at });
      acts.push({ act: made, at });
    },
    refusal(act: (life: AgreementLife) => Act, at = START): string {
      try {
        take(life, act(life), { keyOf: keyOfDid, now: at });
        return "accepted";
      } catch (error) {
        return error instanceof AgreementRefused ? error.refusal : String(error);
      }
    },
  };
}
const SIGNED = [
  (life: AgreementLife) => accept(life, "provider"),
  (life: AgreementLife) => sign(life, "client"),
  (life: AgreementLife) => sign(life, "provider"),
];

describe("an agreement's acts", () => {
  it("lead from a proposal to a dispute, and anybody who has them comes to the same", () => {
    const one = living();
    for (const act of [...SIGNED, deliver]) one.do(act);
    one.do((life) => result(life, "evaluator"));
    expect(one.life().timed.state.status).to.equal("verified");
    one.do((life) => challenge(life, "client"));
    expect(one.life().timed.state.status).to.equal("disputed");
    expect(one.life().results[0]?.determination.composite).to.equal(8_800);
    expect(lifeOf(one.acts, { keyOf: keyOfDid })).to.deep.equal(one.life());
    expect(lifeAt(one.life(), START + 604_800).timed.state.status).to.equal("closed");
  });

  it("are refused by name: other keys, other terms, out of turn, twice", () => {
    const one = living();
    expect(one.refusal(() => propose)).to.equal("IllegalTransition");
    expect(one.refusal((life) => accept(life, "client"))).to.equal("NotYourTurn");
    expect(one.refusal((life) => sign(life, "client"))).to.equal("IllegalTransition");
    one.do((life) => accept(life, "provider"));
    expect(one.refusal((life) => sign(life, "client", "provider"))).to.equal("BadSignature");
    expect(one.refusal((life) => cancel(life, "client"))).to.equal("BadSignature");
    expect(one.refusal(cancel)).to.equal("accepted");
    one.do((life) => sign(life, "client"));
    expect(one.refusal((life) => sign(life, "client"))).to.equal("IllegalTransition");
    expect(one.refusal(deliver)).to.equal("IllegalTransition");
    one.do((life) => sign(life, "provider"));
    expect(one.refusal((life) => result(life, "evaluator"))).to.equal("IllegalTransition");
    const elsewhere = (life: AgreementLife): Act => {
      const act = deliver(life);
      return act.act === "deliver" ? { ...act, delivery: { ...act.delivery, agreement_hash: DELIVERABLE } } : act;
    };
    expect(one.refusal(elsewhere)).to.equal("OtherTerms");
    one.do(deliver);
    expect(
      one.refusal((life) => result(life, "backup")),
      "the evaluator has time",
    ).to.equal("WrongSender");
    expect(one.refusal((life) => challenge(life, "client"))).to.equal("IllegalTransition");
    one.do((life) => result(life, "evaluator"));
    expect(one.refusal((life) => challenge({ ...life, results: [] }, "client"))).to.equal("OtherTerms");
    expect(
      one.refusal((life) => challenge(life, "client"), START + 7_201),
      "its window is over",
    ).to.equal("IllegalTransition");
  });

  it("have a backup judge once the evaluator's time is over", () => {
    const one = living();
    for (const act of [...SIGNED, deliver]) one.do(act);
    one.do((life) => result(life, "backup"), START + 601);
    expect(one.life().timed.state).to.include({ status: "verified", backups: 1 });
  });
});

describe("identities that are keys", () => {
  it("are read as published ones are", () => {
    // W3C did:key, test vectors of Ed25519 and secp256k1.
    const ed25519 = "did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp";
    const secp256k1 = "did:key:zQ3shokFTS3brHcDQrn82RUDfCZESWL1ZdCEJwekUDPQiYBme";
    for (const value of [ed25519, secp256k1]) {
      const key = keyOfDid({ scheme: "w3c_did", value });
      expect(key === undefined ? undefined : didOf(key)).to.equal(value);
    }
    expect(keyOfDid({ scheme: "w3c_did", value: ed25519 })).to.deep.equal({
      algorithm: "ed25519",
      key: "0x3b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29",
    });
  });

  it("have no key where they are none, or are spelled in another way", () => {
    for (const value of ["did:web:example.com", "did:key:z", "did:key:z6Mk", `did:key:z${"1".repeat(40)}`, "did:key:zO0Il"])
      expect(keyOfDid({ scheme: "w3c_did", value }), value).to.equal(undefined);
    expect(keyOfDid({ scheme: "uri", value: identityOf(people.client).value })).to.equal(undefined);
  });
});
