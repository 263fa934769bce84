import { expect } from "chai";
import fc from "fast-check";
import { RAILS_ADMISSIBILITY } from "../../orchestrator/clearing/admissibility.ts";
import { type Aggregate, aggregate } from "../../orchestrator/clearing/aggregate.ts";
import { bindObligation } from "../../orchestrator/clearing/bind.ts";
import { clear, clearingDecisionSchema, decisionHash, isSigned, termsOf } from "../../orchestrator/clearing/clearing-decision.ts";
import { openDocket } from "../../orchestrator/clearing/docket.ts";
import { envelopeSchema } from "../../orchestrator/clearing/evidence-envelope.ts";
import { evaluateFinality, finalityEvaluationSchema, isEvaluationSigned } from "../../orchestrator/clearing/finality.ts";
import { ingest } from "../../orchestrator/clearing/ingest.ts";
import { obligationHash, obligationSchema } from "../../orchestrator/clearing/obligation.ts";
import { applyDelta, deltasOf, newPassport, passportDeltaSchema, passportSchema } from "../../orchestrator/clearing/passport.ts";
import { isInstructionSigned, settle, settlementInstructionSchema } from "../../orchestrator/clearing/settlement-instruction.ts";
import { AdmittedOutput, verdictSchema, verifierOutputSchema } from "../../orchestrator/clearing/verifier-output.ts";
import { canonicalBytes, canonicalJson, parseJsonBytes } from "../../orchestrator/primitives/json.ts";
import type { EvidenceClass } from "../../orchestrator/rules/admissibility.ts";
import { decide, VerdictResult } from "../../orchestrator/rules/clearing.ts";
import { itemSatisfies } from "../../scripts/clearing/invariant.ts";
import { dealWith, envelopeOf, genuine, sweepDeployment, verdictOn } from "../../scripts/clearing/population.ts";
import { granted, play } from "../../scripts/clearing/scenario.ts";
import { webhook } from "../../scripts/clearing/webhook.ts";

const SEED = { seed: 20261121 };
const CLASSES = RAILS_ADMISSIBILITY.elements;
const world = sweepDeployment();
const deals = new Map(CLASSES.map((floor) => [floor, dealWith(floor, world)]));

/** A panel: items of some classes, and verdicts that rest on some of them. */
const panel = fc.record({
  floor: fc.constantFrom(...CLASSES),
  classes: fc.array(fc.constantFrom(...CLASSES), { minLength: 1, maxLength: 4 }),
  verdicts: fc.array(
    fc.record({
      verdict: fc.constantFrom(...verdictSchema.options),
      weight: fc.integer({ min: 0, max: 10_000 }),
      basis: fc.uniqueArray(fc.nat(3), { maxLength: 3 }),
    }),
    { maxLength: 6 },
  ),
});
type Panel = typeof panel extends fc.Arbitrary<infer Value> ? Value : never;

function outputsOf({ floor, classes, verdicts }: Panel): AdmittedOutput[] {
  const deal = deals.get(floor)!;
  const items = classes.map((held, index) => genuine(deal, `item-${index}`, held));
  const envelope = envelopeOf(deal, items, world);
  return verdicts.map(({ verdict, weight, basis }, verifier) => {
    const chosen = basis.flatMap((index) => items[index] ?? []);
    return verdictOn(deal, envelope, chosen, world, verifier, verdict).weighing(weight);
  });
}

function clearPanel(given: Panel, confidenceForm: "mean" | "mass" = "mean"): Aggregate {
  const { floor } = given;
  const terms = {
    floors: { performance: floor, policy: floor },
    questions: ["performance"],
    clauses: { performance: [], policy: [] },
    minConfidence: 0,
    confidenceForm,
  } as const;
  return aggregate(outputsOf(given), terms, RAILS_ADMISSIBILITY);
}

describe("clearing, whatever the panel", () => {
  it("never rests on an item below the floor, and reports no class that its survivors have not", () => {
    fc.assert(
      fc.property(panel, (given) => {
        const { verdicts, basis, survivors } = clearPanel(given);
        for (const { item } of basis) expect(itemSatisfies(item, given.floor)).to.be.true;
        const { status } = verdicts.performance;
        if (status === "PASS" || status === "FAIL") expect(survivors.length * basis.length).to.be.greaterThan(0);
        if (survivors.length === 0) expect(status).to.equal("UNVERIFIABLE");
      }),
      { ...SEED, numRuns: 150 },
    );
  });

  it("never promotes by combination: a basis that is excluded stays so with any item more", () => {
    fc.assert(
      fc.property(panel, fc.nat(3), (given, extra) => {
        const before = new Set(clearPanel(given).survivors.map(({ output }) => output.verifier));
        const widened = {
          ...given,
          verdicts: given.verdicts.map((one) => ({ ...one, basis: [...new Set([...one.basis, extra % given.classes.length])] })),
        };
        const excluded = given.verdicts.flatMap(({ basis }, index) =>
          basis.some((item) => item < given.classes.length) ? [`verifier-0${index}`] : [],
        );
        for (const { output } of clearPanel(widened).survivors) {
          if (excluded.includes(output.verifier)) expect(before.has(output.verifier)).to.be.true;
        }
      }),
      { ...SEED, numRuns: 100 },
    );
  });

  it("is monotone: a stronger item takes no weight from any side, and no confidence from a verdict that stays", () => {
    fc.assert(
      fc.property(panel, fc.nat(3), fc.constantFrom(...CLASSES), (given, which, lift) => {
        const at = which % given.classes.length;
        const raised = {
          ...given,
          classes: given.classes.map((held, index) => (index === at ? RAILS_ADMISSIBILITY.join(held, lift) : held)),
        };
        const [before, after] = [clearPanel(given, "mass"), clearPanel(raised, "mass")];
        expect(after.survivors.map(({ output }) => output.verifier)).to.include.members(
          before.survivors.map(({ output }) => output.verifier),
        );
        if (before.verdicts.performance.status === after.verdicts.performance.status) {
          expect(after.verdicts.performance.confidence).to.be.at.least(before.verdicts.performance.confidence);
          expect(after.confidence, "the aggregate, which ϕ reads").to.be.at.least(before.confidence);
        }
      }),
      { ...SEED, numRuns: 150 },
    );
  });

  it("is monotone by default, clauses included: one that nobody required takes nothing from those that were", () => {
    const deal = deals.get("ATT")!;
    const under = (held: string, clauses: readonly string[]) => {
      const items = [genuine(deal, "a", "ATT"), genuine(deal, "b", held)];
      const envelope = envelopeOf(deal, items, world);
      const outputs = items.map((item, n) =>
        verdictOn(deal, envelope, [item], world, n, "PASS", n === 0 ? 1 : 0.5, n === 0 ? "asked" : "unasked"),
      );
      const terms = { ...termsOf(deal, "fee_release"), clauses: { performance: clauses, policy: [] } };
      return aggregate(outputs, terms, RAILS_ADMISSIBILITY).verdicts.performance.confidence;
    };
    expect(termsOf(deal, "fee_release").confidenceForm).to.equal("mass");
    expect([under("SIGN", ["asked"]), under("ATT", ["asked"])]).to.deep.equal([10_000, 10_000]);
    expect([under("SIGN", []), under("ATT", [])]).to.deep.equal([10_000, 10_000]);
  });

  it("decides one question as the chain's rule does, with the weight of a drawn panel", () => {
    const code = { PASS: VerdictResult.PASS, FAIL: VerdictResult.FAIL, ABSTAIN: VerdictResult.ABSTAIN, DISPUTED: VerdictResult.ABSTAIN };
    const RESULTS = ["UNVERIFIABLE", "PASS", "FAIL", "DISPUTED", "UNVERIFIABLE"];
    fc.assert(
      fc.property(panel, fc.nat(10_000), fc.nat(60_000), (given, minConfidence, drawn) => {
        const plain = { ...given, verdicts: given.verdicts.filter(({ verdict }) => verdict !== "DISPUTED") };
        const { floor, classes, verdicts } = plain;
        const terms = { ...termsOf(deals.get(floor)!, "fee_release"), confidenceForm: "mean", minConfidence, drawn } as const;
        const ours = aggregate(outputsOf(plain), terms, RAILS_ADMISSIBILITY).verdicts.performance;
        const word = classes.reduce((bits, held, index) => bits | (BigInt(CLASSES.indexOf(held)) << BigInt(3 * index)), 0n);
        const chain = decide(
          verdicts.map(({ verdict, weight, basis }) => ({
            question: 0,
            result: code[verdict],
            weight,
            confidence: 9000,
            score: 10_000,
            basis: basis.filter((index) => index < classes.length).reduce((bits, index) => bits | (1n << BigInt(index)), 0n),
            agreeing: 1,
          })),
          { classWords: [word], floor: CLASSES.indexOf(floor) as EvidenceClass, questions: 1, minConfidence, slots: 1, drawn, seats: 0 },
        );
        expect([ours.status, ours.confidence]).to.deep.equal([RESULTS[chain.result], chain.confidence]);
      }),
      { ...SEED, numRuns: 300 },
    );
  });

  it("is not monotone with A.4.2's mean, the chain's form: a newly admitted doubter lowers it", () => {
    const deal = deals.get("ATT")!;
    const under = (held: string, confidenceForm: "mean" | "mass") => {
      const items = [genuine(deal, "a", "ATT"), genuine(deal, "b", held)];
      const envelope = envelopeOf(deal, items, world);
      const outputs = items.map((item, verifier) => verdictOn(deal, envelope, [item], world, verifier, "PASS", verifier === 0 ? 1 : 0.5));
      const terms = {
        floors: { performance: "ATT", policy: "ATT" },
        questions: ["performance"],
        clauses: { performance: [], policy: [] },
        minConfidence: 0,
        confidenceForm,
      } as const;
      return aggregate(outputs, terms, RAILS_ADMISSIBILITY).verdicts.performance.confidence;
    };
    expect([under("SIGN", "mean"), under("ATT", "mean")]).to.deep.equal([10_000, 7500]);
    expect([under("SIGN", "mass"), under("ATT", "mass")]).to.deep.equal([5000, 7500]);
  });
});

describe("the seven objects", () => {
  const scenario = webhook("properties");
  const at = scenario.deployment;
  const bound = granted(bindObligation(scenario.obligation, at));
  const admitted = granted(ingest(scenario.envelope, bound, at));
  const all = (async () => {
    const played = await play(scenario);
    const { decision, instruction, outputs, docket } = played;
    if (instruction === undefined) throw new Error("the scenario settles");
    const environment = { appealsFiledAt: [], resolvedConflicts: [] };
    const finality = granted(
      evaluateFinality({
        obligation: bound,
        decision,
        instruction,
        docket,
        deployment: at,
        environment,
        engine: scenario.engine,
        now: scenario.now + 86_400n,
      }),
    );
    const [delta] = deltasOf(instruction, decision, scenario.engine);
    const [output] = outputs;
    if (delta === undefined || output === undefined) throw new Error("the scenario has them");
    return { decision, instruction, finality, delta, output, outputs };
  })();

  it("are the same after JSON, and hash the same", async () => {
    const { decision, instruction, finality, delta, output } = await all;
    const again = <Value>(value: Value): unknown => parseJsonBytes(canonicalBytes(value));
    expect(obligationSchema.parse(again(scenario.obligation))).to.deep.equal(scenario.obligation);
    expect(envelopeSchema.parse(again(scenario.envelope))).to.deep.equal(scenario.envelope);
    expect(verifierOutputSchema.parse(again(output))).to.deep.equal(output);
    expect(clearingDecisionSchema.parse(again(decision))).to.deep.equal(decision);
    expect(settlementInstructionSchema.parse(again(instruction))).to.deep.equal(instruction);
    expect(finalityEvaluationSchema.parse(again(finality))).to.deep.equal(finality);
    expect(passportDeltaSchema.parse(again(delta))).to.deep.equal(delta);
    const passport = granted(applyDelta(newPassport("coder-v2"), delta, finality, at));
    expect(passportSchema.parse(again(passport))).to.deep.equal(passport);
    expect(obligationHash(obligationSchema.parse(again(scenario.obligation)))).to.equal(scenario.obligation.obligation_hash);
    expect(decisionHash(clearingDecisionSchema.parse(again(decision)))).to.equal(decision.clearing_decision_hash);
  });

  it("anchor each other by hash", async () => {
    const { decision, instruction, finality, delta, output } = await all;
    expect(scenario.envelope.obligation_hash).to.equal(scenario.obligation.obligation_hash);
    expect([output.obligation_hash, output.envelope_id]).to.deep.equal([
      scenario.obligation.obligation_hash,
      scenario.envelope.envelope_id,
    ]);
    expect([decision.obligation_hash, decision.envelope_id]).to.deep.equal([output.obligation_hash, output.envelope_id]);
    expect(instruction.clearing_decision_hash).to.equal(decision.clearing_decision_hash);
    expect([finality.instruction_id, delta.source_clearing_decision]).to.deep.equal([
      instruction.instruction_id,
      decision.clearing_decision_hash,
    ]);
  });

  it("break on any flipped bit", async () => {
    const { decision, instruction, finality, delta, output } = await all;
    const holds: Readonly<Record<string, { document: object; holds: (document: unknown) => boolean }>> = {
      obligation: { document: scenario.obligation, holds: (document) => bindObligation(document, at).ok },
      envelope: {
        document: scenario.envelope,
        holds: (document) => {
          const result = ingest(document, bound, at);
          return result.ok && result.value.refusals.length === 0;
        },
      },
      output: { document: output, holds: (document) => AdmittedOutput.admit(document, bound, admitted, at).ok },
      decision: { document: decision, holds: (document) => parses(clearingDecisionSchema, document, (value) => isSigned(value, at)) },
      instruction: {
        document: instruction,
        holds: (document) => parses(settlementInstructionSchema, document, (value) => isInstructionSigned(value, at)),
      },
      finality: {
        document: finality,
        holds: (document) => parses(finalityEvaluationSchema, document, (value) => isEvaluationSigned(value, at)),
      },
      delta: {
        document: delta,
        holds: (document) => parses(passportDeltaSchema, document, (value) => applyDelta(newPassport("coder-v2"), value, finality, at).ok),
      },
    };
    for (const [name, { document, holds: accepted }] of Object.entries(holds)) {
      const bytes = canonicalBytes(document);
      expect(accepted(parseJsonBytes(bytes)), name).to.be.true;
      fc.assert(
        fc.property(fc.nat(8 * bytes.length - 1), (bit) => {
          const flipped = Uint8Array.from(bytes);
          flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
          let read: unknown;
          try {
            read = parseJsonBytes(flipped);
          } catch {
            return;
          }
          expect(accepted(read), `${name}, bit ${bit}`).to.be.false;
        }),
        { ...SEED, numRuns: 60 },
      );
    }
  });

  it("come out the same, byte for byte, twice and in any order of outputs", async () => {
    const { outputs, decision, instruction } = await all;
    fc.assert(
      fc.property(fc.shuffledSubarray([...outputs], { minLength: outputs.length }), (shuffled) => {
        const cleared = clear({
          obligation: bound,
          envelope: admitted,
          outputs: shuffled,
          deployment: at,
          engine: scenario.engine,
          now: scenario.now,
        });
        expect(canonicalJson(cleared.decision)).to.equal(canonicalJson(decision));
        expect(canonicalJson(granted(settle(cleared, scenario.engine, openDocket())))).to.equal(canonicalJson(instruction));
      }),
      { ...SEED, numRuns: 8 },
    );
    const twice = await play(webhook("properties"));
    expect(canonicalJson(twice.decision)).to.equal(canonicalJson(decision));
  });

  it("throw on nothing that anybody hands in", async () => {
    const { output } = await all;
    const anything = fc.oneof(
      fc.anything(),
      fc.jsonValue(),
      fc.constantFrom<unknown>(undefined, null, [], {}, new Date(0), () => 1, Symbol("x")),
    );
    const bent = (document: object) =>
      fc.tuple(fc.constantFrom(...Object.keys(document)), anything).map(([key, value]): unknown => ({ ...document, [key]: value }));
    fc.assert(
      fc.property(fc.oneof(anything, bent(scenario.obligation), bent(scenario.envelope), bent(output)), (document) => {
        bindObligation(document, at);
        ingest(document, bound, at);
        const cleared = clear({
          obligation: bound,
          envelope: admitted,
          outputs: [document, output],
          deployment: at,
          engine: scenario.engine,
          now: scenario.now,
        });
        settle(cleared, scenario.engine, openDocket());
      }),
      { ...SEED, numRuns: 60 },
    );
  });
});

function parses<Value>(
  schema: { safeParse(document: unknown): { success: true; data: Value } | { success: false } },
  document: unknown,
  then: (value: Value) => boolean,
): boolean {
  const parsed = schema.safeParse(document);
  return parsed.success && then(parsed.data);
}
