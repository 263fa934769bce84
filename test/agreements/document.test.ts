import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { z } from "zod";
import {
  type Agreement,
  AgreementRefused,
  agreementHash,
  checkSignatures,
  readAgreement,
  readSigned,
  signAgreement,
  unitsOf,
} from "../../orchestrator/agreements/index.ts";
import { EXAMPLE, keyOf, proposal, signers } from "./example.ts";

const code = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    return error instanceof AgreementRefused ? error.refusal : String(error);
  }
  return "accepted";
};
/** The example with one value replaced, by path. */
function change(path: string, value: unknown): unknown {
  const copy: unknown = JSON.parse(JSON.stringify(EXAMPLE));
  const keys = path.split(".");
  const last = keys.pop() ?? "";
  const holder = keys.reduce<unknown>((at, key) => (typeof at === "object" && at !== null ? Reflect.get(at, key) : undefined), copy);
  if (typeof holder !== "object" || holder === null) throw new Error(`no ${path}`);
  Reflect.set(holder, last, value);
  return copy;
}
const both = (agreement: Agreement) =>
  signAgreement(signAgreement(agreement, "client", signers.client, keyOf), "provider", signers.provider, keyOf);

describe("an agreement", () => {
  it("is read from the paper's own example", () => {
    expect(proposal.parties.client.identity).to.deep.equal({ scheme: "coc", value: "sha256:abc123" });
    expect(readAgreement(JSON.parse(JSON.stringify(proposal)))).to.deep.equal(proposal);
  });

  it("keeps what a later minor version adds, hashes it, and reads no other major", () => {
    const later = readAgreement({ ...EXAMPLE, asa_version: "1.4.0", sla_credits: { percent: 5 } });
    expect(later["sla_credits"]).to.deep.equal({ percent: 5 });
    expect(agreementHash(later)).to.not.equal(agreementHash(readAgreement({ ...EXAMPLE, asa_version: "1.4.0" })));
    expect(code(() => readAgreement({ ...EXAMPLE, asa_version: "2.0.0" }))).to.equal("UnsupportedVersion");
  });

  const MALFORMED: Readonly<Record<string, readonly [path: string, value: unknown]>> = {
    "weights that do not sum to one": ["quality_criteria.dimensions.0.weight", 0.3],
    "a negative weight": ["quality_criteria.dimensions.0.weight", -0.25],
    "two dimensions of one name": ["quality_criteria.dimensions.1.name", "accuracy"],
    "an end before the beginning": ["expires_at", "2026-03-26T14:30:00Z"],
    "tiers with a hole": ["escrow.payment.graduated_release.tiers", [{ composite_score_gte: 60, release_percent: 50 }]],
    "tiers that pay less for more": ["escrow.payment.graduated_release.tiers.0.release_percent", 10],
    "an identity that is only text": ["parties.client.identity", "alpha"],
    "a status that is none": ["status", "paid"],
    "nothing to pay": ["escrow.payment.amount", "0.00"],
    "a price above the most that the client pays": ["service.constraints.max_cost_usd", 4.99],
    "a visibility that is none": ["visibility", "secret"],
  };
  for (const [what, [path, value]] of Object.entries(MALFORMED))
    it(`is refused with ${what}`, () => expect(code(() => readAgreement(change(path, value)))).to.equal("MalformedAgreement"));

  it("has three different parties, whatever they are called", () => {
    expect(code(() => readAgreement(change("parties.provider.identity", EXAMPLE.parties.client.identity)))).to.equal("OneParty");
    expect(code(() => readAgreement(change("parties.evaluator.identity", EXAMPLE.parties.client.identity)))).to.equal("OneParty");
    const house = { ...EXAMPLE.parties, client: { ...EXAMPLE.parties.client, principal: "p" } };
    expect(code(() => readAgreement({ ...EXAMPLE, parties: { ...house, provider: { ...house.provider, principal: "p" } } }))).to.equal(
      "OneParty",
    );
  });

  it("counts money in smallest units, and takes no other spelling", () => {
    expect([unitsOf("5.00", "USDC"), unitsOf("0.000001", "USDC"), unitsOf("12", "JPY")]).to.deep.equal([5_000_000n, 1n, 12n]);
    for (const amount of ["5.0000001", "-5", "+5", "5e3", "05", "5.", "NaN", "", "99999999999999999"])
      expect(
        code(() => unitsOf(amount, "USDC")),
        amount,
      ).to.equal("BadAmount");
  });
});

describe("an agreement's hash", () => {
  /** Every path to a value of the document but status and signatures. */
  function leaves(value: unknown, path = ""): string[] {
    if (typeof value !== "object" || value === null) return [path];
    return Object.entries(value).flatMap(([key, child]) => leaves(child, path === "" ? key : `${path}.${key}`));
  }

  it("covers every term: evaluator, verification, escrow, dispute and expiry with the rest", () => {
    const hash = agreementHash(proposal);
    const paths = leaves(EXAMPLE).filter((path) => path !== "status");
    expect(paths.length).to.be.greaterThan(60);
    for (const path of paths) expect(agreementHash(change(path, "other") as Agreement), path).to.not.equal(hash);
    expect(agreementHash({ ...proposal, status: "closed" })).to.equal(hash);
    expect(agreementHash(both(proposal))).to.equal(hash);
  });

  describe("of ten documents on record", () => {
    const fixture = join(import.meta.dirname, "hashes.json");
    const recorded = z.array(z.object({ hash: z.string(), document: z.unknown() })).parse(JSON.parse(readFileSync(fixture, "utf8")));

    it("is the recorded one", () => {
      expect(recorded.length).to.equal(10);
      for (const { hash, document } of recorded) expect(agreementHash(readAgreement(document))).to.equal(hash);
    });

    it("is what a program in another language computes, without a line of ours", function () {
      const found = spawnSync("python3", [join(import.meta.dirname, "hashes.py")], { input: readFileSync(fixture), encoding: "utf8" });
      if (found.error !== undefined) this.skip();
      expect(found.stdout.trim().split("\n"), found.stderr).to.deep.equal(recorded.map(({ hash }) => hash));
    });
  });
});

describe("signatures", () => {
  it("of both parties, under either scheme, make it whole", () => {
    const signed = both(proposal);
    checkSignatures(signed, keyOf);
    expect(readSigned(JSON.parse(JSON.stringify(signed)), keyOf)).to.deep.equal(signed);
  });

  it("hold over no other terms", () => {
    const signed = both(proposal);
    for (const changed of [
      { ...signed, expires_at: "2027-01-01T00:00:00Z" },
      { ...signed, verification: { ...signed.verification, strategy: "immediate" } },
      { ...signed, unasked: true },
    ])
      expect(code(() => checkSignatures(changed as Agreement, keyOf))).to.equal("BadSignature");
    const { client, provider } = signed.signatures ?? {};
    expect(code(() => checkSignatures({ ...signed, signatures: { client: provider, provider: client } }, keyOf))).to.equal("BadSignature");
    expect(code(() => checkSignatures({ ...signed, signatures: { client } }, keyOf))).to.equal("BadSignature");
  });

  it("are each party's own, given once, and never to what has ended", () => {
    const once = signAgreement(proposal, "client", signers.client, keyOf);
    expect(code(() => signAgreement(once, "client", signers.client, keyOf))).to.equal("Frozen");
    expect(code(() => signAgreement(once, "provider", signers.stranger, keyOf))).to.equal("UnknownKey");
    for (const status of ["active", "closed", "expired", "rejected", "disputed"] as const)
      expect(
        code(() => signAgreement({ ...proposal, status }, "client", signers.client, keyOf)),
        status,
      ).to.equal("Frozen");
  });

  it("cannot be changed once it was read: its hash is remembered", () => {
    const agreement = readAgreement(EXAMPLE);
    const hash = agreementHash(agreement);
    expect(() => Object.assign(agreement.service, { description: "something else" })).to.throw(TypeError);
    expect(() => Object.assign(agreement, { expires_at: "2030-01-01T00:00:00Z" })).to.throw(TypeError);
    expect(agreementHash({ ...agreement, expires_at: "2030-01-01T00:00:00Z" })).to.not.equal(hash);
    expect(agreementHash({ ...agreement })).to.equal(hash);
    expect(Object.isFrozen(EXAMPLE.service), "the document that was handed in stays its owner's").to.equal(false);
  });
});
