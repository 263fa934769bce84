/** What a deliverable says beside what its provider delivered before, whatever it chose to say. */
import { expect } from "chai";
import {
  type Agreement,
  type Comparing,
  consistency,
  contentHash,
  type Evaluator,
  evaluateDelivery,
  MOST_EARLIER,
  readAgreement,
} from "../../orchestrator/agreements/index.ts";
import { canonicalBytes } from "../../orchestrator/primitives/json.ts";
import { EXAMPLE, signers } from "./example.ts";

const { service, parties } = EXAMPLE;
const named = (agreement_id: string, terms: object = {}): Agreement => readAgreement({ ...EXAMPLE, agreement_id, ...terms });
const NOW = named("asa-now");
const ITEMS = [
  { id: "a", value: 3, note: "by hand" },
  { id: "b", value: 5, note: "by hand" },
];
const work = (items: unknown, more: object = {}) => canonicalBytes({ title: "Estimates", items, ...more });
const past = (content: Uint8Array, agreement = named("asa-before")) => ({ agreement, content });
const found = (content: Uint8Array, { earlier = [past(work(ITEMS))], least = 5 }: Partial<Comparing> = {}) =>
  consistency(NOW, { earlier, least })(content);
const percentOf = async (...asked: Parameters<typeof found>) => (await found(...asked)).value;
const [first, second] = ITEMS;

describe("consistency across deliveries", () => {
  it("is the share of statements that say the same as before, with the paths of those that do not", async () => {
    expect(await found(work(ITEMS))).to.deep.equal({ value: 100, evidence: "7 of 7 statements as before; earlier deliveries: 1" });
    expect(await percentOf(work([...ITEMS].reverse(), { added: true })), "in another order, with more").to.equal(100);
    const { value, evidence } = await found(work([first, { ...second, value: 6 }]));
    expect([value, evidence.split("\n")]).to.deep.equal([
      85,
      ["6 of 7 statements as before; earlier deliveries: 1", "contradicted: /items/b/value"],
    ]);
  });

  it("is not raised by saying little, by other names, or by no JSON at all", async () => {
    expect(await percentOf(work([first]), { least: 7 })).to.equal(57);
    expect(await percentOf(work(ITEMS.map((item) => ({ ...item, id: `${item.id}2` }))))).to.equal(20);
    for (const nothing of [new TextEncoder().encode("# Estimates"), new Uint8Array([0xff]), new TextEncoder().encode("[".repeat(100_000))])
      expect(await percentOf(nothing, { least: 0 })).to.equal(0);
  });

  it("names what is contradicted in few words, whatever name its provider chose", async () => {
    const under = (value: number) => new TextEncoder().encode(JSON.stringify({ ["😀".repeat(100_000)]: value }));
    const { value, evidence } = await found(under(2), { earlier: [past(under(1))], least: 1 });
    expect(value).to.equal(0);
    expect(evidence).to.have.length.below(1_000);
    expect(evidence.isWellFormed()).to.equal(true);
  });

  it("takes a list as one value where its items have no ids of their own", async () => {
    // Of two statements in common the title is the same; a list with ids and one without have nothing else in common.
    const lists = [
      [[1, 2], [2, 1], 50],
      [[{ value: 3 }], [{ value: 4 }], 50],
      [[], [first], 100],
      [[first, first], ITEMS, 100],
    ] as const;
    for (const [one, other, percent] of lists)
      expect(await percentOf(work(other), { earlier: [past(work(one))], least: 0 }), JSON.stringify(one)).to.equal(percent);
  });

  it("counts what any earlier delivery contradicts, of the latest ones", async () => {
    const other = past(work([first, { ...second, value: 6 }]));
    expect(await percentOf(work(ITEMS), { earlier: [other, past(work(ITEMS))] })).to.equal(85);
    const latest = Array.from({ length: MOST_EARLIER }, () => past(work(ITEMS)));
    expect(await percentOf(work(ITEMS), { earlier: [other, ...latest] })).to.equal(100);
  });

  it("compares nothing with other providers', with other tasks, or with itself: then nothing is contradicted", async () => {
    const wrong = work([{ ...first, value: 9 }]);
    const others = [
      named("asa-other", { parties: { ...parties, provider: { identity: { scheme: "uri", value: "another" } } } }),
      named("asa-task", { service: { ...service, description: "Something else" } }),
      named("asa-schema", { service: { ...service, deliverable_schema: { type: "object" } } }),
      NOW,
    ];
    for (const agreement of others)
      expect(await found(work(ITEMS), { earlier: [past(wrong, agreement)] }), agreement.agreement_id).to.deep.equal({
        value: 100,
        evidence: "no earlier delivery for this task",
      });
    const slower = named("asa-slower", { service: { ...service, constraints: { ...service.constraints, max_duration_seconds: 7200 } } });
    expect(await percentOf(work(ITEMS), { earlier: [past(wrong, slower)] }), "the same task in more time").to.be.below(100);
  });

  it("decides a dimension of an agreement, with its evidence in the signed result, and no judge is asked about it", async () => {
    const dimension = { name: "consistency", weight: 1, metric: "percentage", slo: { operator: "gte", value: 90 } } as const;
    const agreement = named("asa-judged", {
      quality_criteria: { ...EXAMPLE.quality_criteria, dimensions: [dimension] },
      verification: { ...EXAMPLE.verification, depth: "composite" },
    });
    const { identity } = parties.evaluator;
    const evaluator: Evaluator = { identity, evaluate: () => Promise.reject(new Error("nobody is to be asked")) };
    const checks = { consistency: consistency(agreement, { earlier: [past(work(ITEMS))], least: 7 }) };
    const judged = (content: Uint8Array) => {
      const delivered = { content, delivered_at: "2026-03-26T15:00:00Z" };
      const when = { timestamp: "2026-03-26T15:45:00Z", startedAt: "2026-03-26T14:30:00Z" };
      const at = { verification_id: "v", ...when, signer: signers.stranger, identity, deliverableHash: contentHash(delivered) };
      return evaluateDelivery(agreement, delivered, at, { evaluator, checks });
    };
    const passed = await judged(work(ITEMS));
    expect(passed.determination).to.include({ result: "PASS", composite: 10_000 });
    expect(passed.evidence["consistency"]).to.equal("7 of 7 statements as before; earlier deliveries: 1");
    expect((await judged(work([first, { ...second, value: 6 }]))).determination).to.include({ result: "FAIL", composite: 8_500 });
  });
});
