import { expect } from "chai";
import { bundledSources, exportBundle, reverify } from "../../orchestrator/attestation/bundle.ts";
import { AttestationDesk } from "../../orchestrator/attestation/desk.ts";
import type { VerifierDeps } from "../../orchestrator/attestation/ports.ts";
import { verify } from "../../orchestrator/attestation/verify.ts";
import { CLAIMS, DOCUMENTS, depsOver, keyFor, library, openDesk, START, sent } from "../../scripts/attestation/underwriting.ts";

/** Verifiers and records that leave something out: an answer, a claim, a unit, a bound. */
const KEY = keyFor("verifier-1").publicKey;

describe("attestation/desk, against its clock", () => {
  /** A desk whose source never answers, and an alarm that the test rings. */
  function hanging() {
    let now = START;
    const alarms: (() => void)[] = [];
    const deps: VerifierDeps & { alarm: (millis: number, ring: () => void) => () => void } = {
      ...depsOver({ fetch: () => new Promise<Uint8Array>(() => {}) }, { now: () => now }),
      alarm: (_, ring) => {
        alarms.push(ring);
        return () => {};
      },
    };
    const pass = (millis: number) => {
      now += millis;
      for (const ring of alarms) ring();
    };
    return { desk: new AttestationDesk(deps), pass };
  }
  const soon = <Value>(promise: Promise<Value>) =>
    Promise.race([promise, new Promise<"hangs">((resolve) => setImmediate(() => setImmediate(() => resolve("hangs"))))]);

  it("ends a check whose source hangs when the window closes, nobody asking (CA-2)", async () => {
    const { desk, pass } = hanging();
    desk.emit(sent(CLAIMS.citation, { sla_window_ms: 50 }));
    const asked = desk.verify("c-1");
    expect(await soon(asked)).to.equal("hangs");
    pass(51);
    expect(await soon(asked)).to.deep.include({ status: "unverifiable", method: "sla-window-closed" });
    expect(desk.file("c-1").record.status).to.equal("unverifiable");
  });

  it("does not begin a check whose window has closed, and shows no claim as open that is not", async () => {
    const { desk, pass } = hanging();
    desk.emit(sent(CLAIMS.citation, { sla_window_ms: 50 }));
    desk.emit(sent(CLAIMS.analogy, { sla_window_ms: 50 }));
    pass(51);
    expect(desk.file("a-1").record.status).to.equal("unverifiable");
    expect(await soon(desk.verify("c-1"))).to.deep.include({ status: "unverifiable", method: "sla-window-closed" });
  });

  it("keeps no timer once a check has ended", async () => {
    let open = 0;
    const alarm = () => {
      open += 1;
      return () => {
        open -= 1;
      };
    };
    const desk = new AttestationDesk({ ...depsOver(library(DOCUMENTS)), alarm });
    desk.emit(sent(CLAIMS.citation));
    await desk.verify("c-1");
    expect(open).to.equal(0);
  });
});

describe("a bundle", () => {
  async function bundled() {
    const { desk, sources } = openDesk(DOCUMENTS);
    for (const claim of [CLAIMS.citation, CLAIMS.inference, CLAIMS.analogy]) {
      desk.emit(sent(claim));
      await desk.verify(claim.claim_id);
    }
    return exportBundle(desk, sources);
  }
  const examine = async (bundle: Awaited<ReturnType<typeof bundled>>, known?: Parameters<typeof reverify>[3]) =>
    (await reverify(bundle, depsOver(bundledSources(bundle)), KEY, known)).map(({ claim, verdict }) => `${claim} ${verdict}`);
  const failure = (promise: Promise<unknown>) =>
    promise.then(
      (value) => JSON.stringify(value),
      (error: { code?: string }) => error.code,
    );

  it("misses no claim that its trail tells of", async () => {
    const bundle = await bundled();
    expect(await examine(bundle)).to.deep.equal(["c-1 same", "i-1 same", "a-1 same"]);
    const [first, , last] = bundle.claims;
    if (first === undefined || last === undefined) throw new Error("three claims");
    expect(await examine({ ...bundle, claims: [first, last] })).to.deep.equal(["c-1 same", "a-1 same", "i-1 missing"]);
    expect(await examine({ ...bundle, claims: [...bundle.claims, first] })).to.include("c-1 mistold");
  });

  it("cannot be cut short together with its trail: its head is signed, and may be known from before", async () => {
    const bundle = await bundled();
    const short = { ...bundle, claims: bundle.claims.slice(0, 2), trail: bundle.trail.slice(0, 4) };
    expect(await failure(examine(short))).to.equal("TrailBroken");
    const { digest } = bundle.trail[3] ?? { digest: bundle.head.digest };
    expect(await failure(examine({ ...short, head: { ...bundle.head, length: 4, digest } }))).to.equal("TrailBroken");
    // Cut short by the desk itself, which can sign what it likes: a head seen earlier shows it.
    expect(await examine(bundle, { length: 4, digest })).to.have.length(3);
    expect(await failure(examine(bundle, { length: 7, digest: bundle.head.digest }))).to.equal("TrailBroken");
  });
});

describe("a measurement", () => {
  const RECORD = "https://records.example/boiler";
  const claim = {
    ...CLAIMS.measurement,
    measured_value: 61.5,
    unit: "°C",
    method: "thermocouple",
    measurement_source: `${RECORD}#temperature`,
    uncertainty: 0.6,
  };
  const record = { temperature: { value: 61, unit: "°C", method: "thermocouple" }, pressure: 2 };
  const check = (change: object, deps: Partial<VerifierDeps> = {}) =>
    verify({ ...claim, ...change }, depsOver(library({ [RECORD]: record }), deps));

  it("matches unit and method, not the number alone", async () => {
    expect(await check({})).to.include({ status: "verified", method: "measurement/record-match" });
    expect(await check({ unit: "bananas" })).to.include({ status: "rejected", method: "measurement/unit-differs" });
    expect(await check({ method: "guess" })).to.include({ status: "rejected", method: "measurement/method-differs" });
  });

  it("takes a bare field for what the record has, in no unit of the attester's choice", async () => {
    const bare = { measurement_source: `${RECORD}#pressure`, measured_value: 2, uncertainty: 0, method: "read" };
    expect(await check({ ...bare, unit: "bananas" })).to.include({ status: "rejected", method: "measurement/unit-differs" });
    expect(await check({ ...bare, unit: "record" })).to.include({ status: "verified" });
  });

  it("may be no less certain than the deployment allows", async () => {
    const wide = { measured_value: 999, uncertainty: 1e300 };
    expect(await check(wide)).to.include({ status: "rejected", method: "measurement/uncertainty-too-large" });
    expect(await check({ measured_value: 66, uncertainty: 5 })).to.include({ status: "verified" });
    expect(await check({ measured_value: 66, uncertainty: 5 }, { uncertaintyLimit: () => 1 })).to.include({ status: "rejected" });
    expect(await check({ measured_value: 999, uncertainty: 1e300 }, { uncertaintyLimit: () => Number.NaN })).to.include({
      status: "rejected",
    });
  });
});
