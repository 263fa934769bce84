import { expect } from "chai";
import fc from "fast-check";
import type { ClaimAttestation } from "../../orchestrator/attestation/claims.ts";
import type { VerifierDeps } from "../../orchestrator/attestation/ports.ts";
import { verify } from "../../orchestrator/attestation/verify.ts";
import { CLAIMS, DOCUMENTS, depsOver, library } from "../../scripts/attestation/underwriting.ts";

const deps = depsOver(library(DOCUMENTS));
const STATUSES = ["verified", "rejected", "unverifiable"];
/** What somebody may throw who means harm: nothing of it can be turned into words safely. */
const hostile = fc.constantFrom<unknown>(
  undefined,
  null,
  Symbol("no"),
  Object.create(null),
  {
    toString() {
      throw new Error("no words");
    },
  },
  new Proxy(new Error("x"), {
    get() {
      throw new Error("no fields");
    },
  }),
  Object.assign(new Error("x"), { message: 7 }),
);

describe("attestation/verify never throws", function () {
  this.timeout(60_000);

  it("on whatever is handed in as a claim", async () => {
    const claims = fc.oneof(
      fc.anything(),
      fc
        .constantFrom(...Object.values(CLAIMS))
        .chain((claim) =>
          fc
            .tuple(fc.constantFrom(...Object.keys(claim), "extra", "__proto__"), fc.anything())
            .map(([field, value]) => Object.defineProperty({ ...claim }, field, { value, enumerable: true })),
        ),
    );
    await fc.assert(
      fc.asyncProperty(claims, async (claim) => {
        const outcome = await verify(claim as ClaimAttestation, deps);
        expect(STATUSES).to.include(outcome.status);
        // What cannot be checked is never false.
        if (outcome.method === "schema" || outcome.method === "verifier-failed") expect(outcome.status).to.equal("unverifiable");
        expect(outcome.status === "unverifiable").to.equal(outcome.source_digest === null);
      }),
      { numRuns: 400, seed: 7 },
    );
  });

  it("on whatever its clock, key, sources and oracles throw or give", async () => {
    const broken = (thrown: unknown) => () => {
      throw thrown;
    };
    const ports: readonly ((thrown: unknown) => Partial<VerifierDeps>)[] = [
      (thrown) => ({ now: broken(thrown) }),
      (thrown) => ({ signer: { ...deps.signer, sign: broken(thrown) } }),
      (thrown) => ({ sources: { fetch: broken(thrown) } }),
      (thrown) => ({ sources: { fetch: () => Promise.reject(thrown) } }),
      (thrown) => ({ sources: { fetch: async () => thrown as Uint8Array } }),
      (thrown) => ({ measurements: { ...deps.measurements, read: broken(thrown) } }),
      (thrown) => ({ measurements: { ...deps.measurements, read: async () => thrown as never } }),
      (thrown) => ({ similarity: { ...deps.similarity, compute: async () => thrown as never } }),
      (thrown) => ({ inference: { ...deps.inference, entails: broken(thrown) } }),
      (thrown) => ({ inference: { ...deps.inference, entails: async () => ({ holds: thrown, source: thrown }) as never } }),
      (thrown) => ({ uncertaintyLimit: broken(thrown) }),
      () => ({ now: () => Number.NaN }),
    ];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...ports), hostile, fc.constantFrom(...Object.values(CLAIMS)), async (port, thrown, claim) => {
        const outcome = await verify(claim, { ...deps, ...port(thrown) });
        expect(STATUSES).to.include(outcome.status);
      }),
      { numRuns: 400, seed: 7 },
    );
  });

  it("on a digest that is none", async () => {
    for (const recorded of ["", "sha256:", "x".repeat(99), "__proto__"]) {
      expect(await verify(CLAIMS.citation, deps, recorded as never)).to.include({ status: "rejected" });
    }
  });
});
