import { expect } from "chai";
import { type Hex, zeroHash } from "viem";
import { addressSchema } from "../../../orchestrator/primitives/address.ts";
import { bytesToHex } from "../../../orchestrator/primitives/hex.ts";
import { randomStream } from "../../../orchestrator/primitives/random.ts";
import {
  type Admission,
  type Admitted,
  admissionLeaf,
  admissionOf,
  admits,
  serviceIdOf,
  servicesRootOf,
} from "../../../orchestrator/rules/admissions.ts";
import { batches, DIFFERENTIAL_TIMEOUT, harnessOf } from "../harness.ts";

interface Claim {
  readonly servicesRoot: Hex;
  readonly admission: Admission;
  readonly node: number;
  readonly anyCode: boolean;
}

const here = (c: Claim) => admits(c.servicesRoot, c.admission, c.node, c.anyCode);

describe("Admissions agrees with its twin", function () {
  this.timeout(DIFFERENTIAL_TIMEOUT);
  const random = randomStream(7, "admissions");
  const hash = (): Hex => bytesToHex(random.bytes(32));
  const terms = () => ({ codeHash: hash(), schemaHash: hash(), endpoint: `city:${random.int(99)}`, constraints: hash() });
  const bitmap = () => BigInt(hash()) | (1n << BigInt(random.int(256)));
  /** Of every size from one entry to twelve, every entry for one of its nodes: of named code, and of any. */
  const truths: readonly Claim[] = Array.from({ length: 12 }, (_, most) => {
    const services = Array.from({ length: most + 1 }, terms);
    const admitted = services.map(({ codeHash, schemaHash }, place): Admitted => {
      return { codeHash: place % 4 === 3 ? zeroHash : codeHash, schemaHash, nodes: bitmap() };
    });
    const servicesRoot = servicesRootOf(admitted);
    return services.flatMap((service, place): Claim[] => {
      const nodes = admitted[place]?.nodes ?? 0n;
      const node = Array.from({ length: 256 }, (_, bit) => bit).find((bit) => (nodes >> BigInt(bit)) & 1n) ?? 0;
      const admission = admissionOf(admitted, service, node);
      if (admission === undefined) throw new Error("a law admits what it names");
      return [{ servicesRoot, admission, node, anyCode: place % 4 === 3 }];
    });
  }).flat();
  const harness = harnessOf("AdmissionsHarness");

  it("on every entry of lists of one to twelve", async () => {
    expect(truths.map(here)).to.deep.equal(truths.map(() => true));
    expect(await harness.call("admits", truths)).to.deep.equal(truths.map(() => true));
  });

  it("on 5,000 claims with one thing changed", async () => {
    const claims = Array.from({ length: 5_000 }, (): Claim => {
      const claim = random.pick(truths);
      const { admission } = claim;
      const [one = hash(), ...rest] = admission.proof;
      return random.pick<Claim>([
        { ...claim, servicesRoot: hash() },
        { ...claim, node: random.int(256) },
        { ...claim, anyCode: !claim.anyCode },
        { ...claim, admission: { ...admission, codeHash: hash() } },
        { ...claim, admission: { ...admission, schemaHash: hash() } },
        { ...claim, admission: { ...admission, nodes: bitmap() } },
        { ...claim, admission: { ...admission, proof: rest } },
        { ...claim, admission: { ...admission, proof: [...rest, one] } },
        // An inner node, shown as if it were an entry.
        { ...claim, admission: { ...admission, codeHash: admissionLeaf(admission), schemaHash: one, proof: rest } },
      ]);
    });
    for (const batch of batches(claims)) expect(await harness.call("admits", batch)).to.deep.equal(batch.map(here));
    const [taken, refused] = [claims.filter(here).length, claims.filter((claim) => !here(claim)).length];
    expect(Math.min(taken, refused)).to.be.greaterThan(100);
  });

  it("on a service's id, which commits to every field of its record", async () => {
    const records = Array.from({ length: 64 }, () => ({ owner: addressSchema.parse(bytesToHex(random.bytes(20))), ...terms() }));
    expect(await harness.call("ids", records)).to.deep.equal(records.map(serviceIdOf));
  });

  it("on lists that say the same in another order, which have one root; and on none, which has none", () => {
    const admitted = Array.from({ length: 5 }, (): Admitted => ({ ...terms(), nodes: bitmap() }));
    expect(servicesRootOf([...admitted].reverse())).to.equal(servicesRootOf(admitted));
    expect(servicesRootOf([...admitted, ...admitted])).to.equal(servicesRootOf(admitted));
    expect(servicesRootOf([])).to.equal(zeroHash);
    const [only] = admitted;
    if (only !== undefined) expect(servicesRootOf([only])).to.equal(admissionLeaf(only));
  });
});
