import { expect } from "chai";
import type { Judgement } from "../../orchestrator/clearing/judgement.ts";
import { verifySignature } from "../../orchestrator/clearing/signature.ts";
import type { ClaimFile } from "../../orchestrator/execution/claims.ts";
import {
  asChainDecision,
  bytesUnder,
  type ClearingDocument,
  cityDeployment,
  clearAgain,
  engineOf,
  makeClearingRecord,
  NotCleared,
  roleOf,
  type Standing,
  sealerOf,
  seatOf,
} from "../../orchestrator/execution/clearing-record.ts";
import type { SignedItem } from "../../orchestrator/execution/evidence.ts";
import { type NodeTerms, takesReceipts } from "../../orchestrator/execution/obligation.ts";
import { addressSchema } from "../../orchestrator/primitives/address.ts";
import { sha256 } from "../../orchestrator/primitives/hash.ts";
import { type RandomStream, randomStream } from "../../orchestrator/primitives/random.ts";
import { type ByteSigner, signerOf } from "../../orchestrator/primitives/signing.ts";
import { evidenceClasses, evidenceKinds, ITEMS_PER_SLOT, questions } from "../../orchestrator/protocol/evidence.ts";
import { EvidenceClass } from "../../orchestrator/rules/admissibility.ts";
import { decide, drawnWeight, Question, VerdictResult } from "../../orchestrator/rules/clearing.ts";

const hashOf = (text: string) => sha256(new TextEncoder().encode(text));
const account = (name: string) => addressSchema.parse(hashOf(name).slice(0, 42));
const signers = new Map<string, ByteSigner>();
const keyOf = (id: string) => {
  const signer = signers.get(id) ?? signerOf("secp256k1", Buffer.from(hashOf(id).slice(2), "hex"));
  signers.set(id, signer);
  return signer;
};
const CASES = 60;
const AT = "2026-01-01T00:00:00Z";
const NOW = BigInt(Date.parse(AT) / 1000);
const claimed = (agent: string): ClaimFile => ({
  claim: {
    claim_type: "inference",
    claim_id: `claim of ${agent}`,
    claim: "this follows",
    attester_id: agent,
    attested_at: AT,
    premises: ["a"],
    conclusion: "b",
    inference_method: "re-execution/v1",
  },
  outcome: {
    status: "unverifiable",
    method: "inference/source-unavailable",
    evidence: {},
    verifier_id: "issuer",
    verified_at: AT,
    source_digest: null,
    artifact_signature: null,
  },
  found: hashOf("found"),
  key: keyOf("issuer").publicKey,
  trail: [],
});

/** Somebody with its key in this process. */
const handOf = (id: string) => {
  const key = keyOf(id);
  return { seal: async (document: ClearingDocument) => ({ publicKey: key.publicKey, signature: key.sign(bytesUnder(document, id)) }) };
};

/** A node, what its executors handed in, and what each verifier of its panel says, all at random. */
async function randomClearing(random: RandomStream) {
  const slots = 1 + random.int(3);
  const asked = random.int(2) === 0 ? (["PERFORMANCE"] as const) : questions;
  const classes = ["WIT", "REC", "ATT"] as const;
  const floor = evidenceClasses[random.int(5)] ?? "ATT";
  const kind = takesReceipts({ tier: 2, floor }) ? evidenceKinds.RECEIPT : evidenceKinds.REEXECUTION;
  const handed = Array.from({ length: slots }, (_, slot) => ({
    slot,
    agent: account(`executor ${slot}`),
    claimed: claimed(account(`executor ${slot}`)),
    items: Array.from({ length: 1 + random.int(2) }, (_, index): SignedItem => {
      const own = classes[random.int(classes.length)] ?? "ATT";
      const issuer = account(`issuer of ${own}`);
      return { slot, index, kind, payload: hashOf(`${slot}/${index}`), issuer, class: own, signature: "0x" };
    }),
  }));
  const places = handed.flatMap(({ items }) => items.map(({ slot, index }) => 1n << BigInt(ITEMS_PER_SLOT * slot + index)));
  const panel = Array.from({ length: 1 + random.int(3) }, (_, place) => ({
    verifier: account(`verifier ${place}`),
    weight: 1 + random.int(200),
  }));
  const judgements = new Map(
    panel.map(({ verifier }) => [
      verifier,
      asked.map((question): Judgement => {
        const result = (["ABSTAIN", "PASS", "PASS", "FAIL"] as const)[random.int(4)] ?? "PASS";
        const basis = places.reduce((bits, bit) => (random.int(3) > 0 ? bits | bit : bits), 0n);
        return { question, result, confidence: random.int(10_001), score: random.int(10_001), basis, agreeing: random.int(1 << slots) };
      }),
    ]),
  );
  const terms: NodeTerms = {
    obligation: hashOf("obligation"),
    requestor: account("sponsor"),
    executors: handed.map(({ slot, agent }) => ({ slot, agent, price: 100n })),
    mission: account("mission"),
    attempt: 0,
    law: {
      label: "read-1",
      task: "read",
      shard: null,
      tier: 2,
      redundancy: slots,
      threshold: 1,
      agree: null,
      floor,
      questions: [...asked],
      panelSize: panel.length,
      timeout: 60,
      ...{ after: [], admits: [], capabilities: [], predicate: 0 },
    },
    predicates: [],
    minConfidence: random.int(8000),
    stake: 500n,
    rates: { protocolFeeRate: 200, insuranceReserveRate: 100 },
    appealWindow: 60,
    mandate: {},
    boundAt: NOW - 3600n,
  };
  const record = await makeClearingRecord(
    { terms, panel, handed, judgementsOf: (verifier) => judgements.get(addressSchema.parse(verifier)) ?? [] },
    { of: handOf, engine: sealerOf(engineOf(account("runner")), keyOf(account("runner"))) },
    NOW,
  );
  const chain = decide(
    panel.flatMap(({ verifier, weight }) =>
      (judgements.get(verifier) ?? []).map((said) => ({
        ...said,
        weight,
        question: Question[said.question],
        result: VerdictResult[said.result],
      })),
    ),
    {
      classWords: handed.map(({ items }) =>
        items.reduce((word, item) => word | (BigInt(EvidenceClass[item.class]) << BigInt(3 * item.index)), 0n),
      ),
      floor: EvidenceClass[terms.law.floor],
      questions: asked.length === 2 ? 3 : 1,
      minConfidence: terms.minConfidence,
      slots,
      drawn: drawnWeight(panel.map(({ weight }) => weight)),
      seats: panel.length,
    },
  );
  return { terms, panel, record, chain };
}

/** Everybody with a house of his own, and what the registry lets him do. */
const standingsOf = ({ keys }: { readonly keys: object }, { requestor, executors }: NodeTerms): Standing[] =>
  [...new Set([...Object.keys(keys), requestor, ...executors.map(({ agent }) => agent)])].map((id) => {
    const question = questions.find((each) => id.endsWith(`/${each.toLowerCase()}`));
    const issues = (["WIT", "REC", "ATT"] as const).filter((name) => id === account(`issuer of ${name}`));
    const role = id === engineOf(account("runner")) ? "engine" : question === undefined ? undefined : roleOf(question);
    return { id, principal: id, issues, ...(role === undefined ? {} : { role }) };
  });

describe("a clearing's documents", () => {
  it(`decide as the chain's rule does, over ${CASES} random clearings with real signatures`, async () => {
    const random = randomStream(7, "clearing records");
    const results = new Set<number>();
    for (let k = 0; k < CASES; k++) {
      const { record, chain } = await randomClearing(random);
      const { class: evidenceClass, ...decided } = chain;
      expect(asChainDecision(record), `case ${k}`).to.deep.equal({ ...decided, evidenceClass });
      results.add(chain.result);
    }
    expect(results.size, "PASS, FAIL, DISPUTED and UNVERIFIABLE all came up").to.equal(4);
  });

  it("clear again to the same decision, and to none once the registry says otherwise", async () => {
    const { record, terms, panel } = await randomClearing(randomStream(3, "clearing records"));
    const { decision, ...documents } = record;
    const engine = {
      id: decision.clearing_engine,
      key: record.keys[decision.clearing_engine]!,
      sign: () => decision.clearing_engine_signature,
    };
    const again = (standings: readonly Standing[]) =>
      clearAgain(documents, cityDeployment(record.keys, standings, { verify: verifySignature, undertook: () => true }), engine, NOW)
        .decision;
    const standings = standingsOf(record, terms);
    expect(again(standings)).to.deep.equal(decision);
    expect(decision.clearing_engine).to.equal(engineOf(account("runner")));

    const [verifier = ""] = panel.map((one) => one.verifier);
    const house = (id: string) => (standing: Standing) =>
      standing.id === id ? { ...standing, principal: terms.executors[0]?.agent ?? "" } : standing;
    for (const interested of [seatOf(verifier, "PERFORMANCE"), ...standings.flatMap(({ id, issues }) => (issues?.length ? [id] : []))]) {
      expect(() => again(standings.map(house(interested))), interested).to.throw(NotCleared, /INTERESTED/);
    }
    expect(() => again(standings.map((standing) => ({ ...standing, issues: [] })))).to.throw(NotCleared, /NOT_REGISTERED_FOR_CLASS/);
    const unbound = cityDeployment(record.keys, standings);
    expect(() => clearAgain(documents, unbound, engine, NOW), "nobody bid on these terms").to.throw(NotCleared, /PARTY_SIGNATURE/);
  });
});
