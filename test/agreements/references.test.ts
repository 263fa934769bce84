/** What a deliverable cites: confirmed at its sources, whatever its provider chose to cite. */
import { expect } from "chai";
import {
  type CitationChecks,
  contentHash,
  crossReferences,
  type Evaluator,
  evaluateDelivery,
  MOST_SOURCES,
  type Referencing,
  readAgreement,
} from "../../orchestrator/agreements/index.ts";
import { type ClaimEnvelope, claimsOf, digestOf, type SourceFetcher, verify } from "../../orchestrator/attestation/index.ts";
import { canonicalBytes } from "../../orchestrator/primitives/json.ts";
import { CLAIMS, depsOver, library, sent } from "../../scripts/attestation/underwriting.ts";
import { EXAMPLE, signers } from "./example.ts";

const PAGES = {
  "https://one.example/": "In 2019 the river rose by forty-one centimetres, more than in any year before it.",
  "https://two.example/": "The committee found no evidence that the dam had been opened on that day.",
  "https://three.example/": "Losses of the harvest were estimated at one tenth of an average year's.",
};
const quote = (page: keyof typeof PAGES, excerpt: string = PAGES[page]): ClaimEnvelope =>
  sent({ ...CLAIMS.citation, source_uri: page, source_excerpt: excerpt });
const THREE = [quote("https://one.example/"), quote("https://two.example/"), quote("https://three.example/")];
const deliverable = (claims: readonly ClaimEnvelope[]) =>
  canonicalBytes({ title: "The flood", pramana: JSON.parse(JSON.stringify(claims)) });

const reading = (sources: SourceFetcher): CitationChecks => {
  const deps = depsOver(sources);
  return { claimsOf, verify: (claim, recorded) => verify(claim, deps, recorded) };
};

async function found(content: Uint8Array, { least = 3, ...more }: Partial<Referencing> = {}, sources: SourceFetcher = library(PAGES)) {
  return crossReferences(reading(sources), { least, ...more })(content);
}
const percentOf = async (...asked: Parameters<typeof found>) => (await found(...asked)).value;

describe("cross-references", () => {
  it("are the share of sources that say what is quoted of them, with how each check ended", async () => {
    const { value, evidence } = await found(deliverable(THREE));
    expect(value).to.equal(100);
    expect(evidence.split("\n")).to.deep.equal([
      "3 of 3 sources confirmed",
      ...Object.keys(PAGES).map((uri) => `verified (citation/excerpt-present): ${uri}`),
    ]);
    const invented = quote("https://two.example/", "The committee found that the dam had been opened on that day.");
    expect(await percentOf(deliverable([...THREE.slice(0, 1), invented, ...THREE.slice(2)]))).to.equal(66);
  });

  it("are not raised by quoting one source many times, a word of it, or nothing at all", async () => {
    const one = quote("https://one.example/");
    expect(await percentOf(deliverable([one, one, quote("https://one.example/", "more than in any year before it."), one]))).to.equal(33);
    expect(await percentOf(deliverable([quote("https://one.example/", "the"), quote("https://two.example/", "no")]))).to.equal(0);
    for (const nothing of [
      deliverable([]),
      new TextEncoder().encode("# A report"),
      new Uint8Array([0xff]),
      canonicalBytes({ pramana: "x" }),
    ])
      expect(await percentOf(nothing, { least: 0 })).to.equal(0);
  });

  it("fall with each wrong quotation, whatever is cited besides, and with a source that is gone or another one now", async () => {
    const wrong = quote("https://one.example/", "In 2019 the river fell by forty-one centimetres, more than ever.");
    expect(await percentOf(deliverable([...THREE, wrong])), "a source with one wrong quotation").to.equal(66);
    const gone = sent({ ...CLAIMS.citation, source_uri: "https://gone.example/", source_excerpt: PAGES["https://one.example/"] });
    expect(await percentOf(deliverable([...THREE, gone]))).to.equal(75);
    const moved = { ...quote("https://one.example/"), source_digest: digestOf(new TextEncoder().encode("another page")) };
    expect(await percentOf(deliverable([moved, ...THREE.slice(1)]))).to.equal(66);
    const measured = sent(CLAIMS.measurement);
    expect(await percentOf(deliverable([...THREE, measured])), "other claims cite nothing").to.equal(100);
  });

  it("read no more sources than an evaluator has patience for", async () => {
    let reads = 0;
    const sources: SourceFetcher = {
      fetch: (uri) => {
        reads += 1;
        return Promise.resolve(new TextEncoder().encode(`${uri} says exactly this, and it is long enough to count.`));
      },
    };
    const many = Array.from({ length: 2 * MOST_SOURCES }, (_, number) => {
      const uri = `https://page-${number}.example/`;
      return sent({ ...CLAIMS.citation, source_uri: uri, source_excerpt: `${uri} says exactly this, and it is long enough to count.` });
    });
    const { value, evidence } = await found(deliverable(many), {}, sources);
    expect([value, reads]).to.deep.equal([50, MOST_SOURCES]);
    expect(evidence).to.contain(`${MOST_SOURCES} more sources were not read`);
  });

  it("decide a dimension of an agreement, with their evidence in the signed result, and no judge is asked about it", async () => {
    const dimension = { name: "cross_references", weight: 1, metric: "percentage", slo: { operator: "gte", value: 75 } } as const;
    const agreement = readAgreement({
      ...EXAMPLE,
      quality_criteria: { ...EXAMPLE.quality_criteria, dimensions: [dimension] },
      verification: { ...EXAMPLE.verification, depth: "composite" },
    });
    const { identity } = EXAMPLE.parties.evaluator;
    const evaluator: Evaluator = { identity, evaluate: () => Promise.reject(new Error("nobody is to be asked")) };
    const checks = { cross_references: crossReferences(reading(library(PAGES)), { least: 3 }) };
    const judged = (content: Uint8Array) => {
      const delivered = { content, delivered_at: "2026-03-26T15:00:00Z" };
      const at = {
        verification_id: "v",
        timestamp: "2026-03-26T15:45:00Z",
        startedAt: "2026-03-26T14:30:00Z",
        signer: signers.stranger,
        identity,
      };
      return evaluateDelivery(agreement, delivered, { ...at, deliverableHash: contentHash(delivered) }, { evaluator, checks });
    };
    const passed = await judged(deliverable(THREE));
    expect(passed.determination).to.include({ result: "PASS", composite: 10_000 });
    expect(passed.evidence["cross_references"]).to.contain("3 of 3 sources confirmed");
    expect((await judged(deliverable(THREE.slice(0, 2)))).determination).to.include({ result: "FAIL", composite: 6_600 });
  });
});
