import { expect } from "chai";
import { type Emission, emitted, evaluateFinality } from "../../orchestrator/clearing/index.ts";
import { isPaidByX402, paymentOf, paymentRequired, receiptOf, X402_RECEIPT, x402Target } from "../../orchestrator/clearing/x402.ts";
import { addressSchema } from "../../orchestrator/primitives/address.ts";
import { castOf } from "../../scripts/clearing/cast.ts";
import { granted, type Played, play } from "../../scripts/clearing/scenario.ts";
import { WEBHOOK_CAST, webhook } from "../../scripts/clearing/webhook.ts";
import { requiredSchema } from "../gateway/payment.ts";

const [asset, payTo, payer] = ["a5", "b0", "c1"].map((byte) => addressSchema.parse(`0x${byte.repeat(20)}`));
if (asset === undefined || payTo === undefined || payer === undefined) throw new Error("unreachable");
const target = x402Target({ network: "eip155:31337", asset, payTo });
const SEED = "x402";
const keys = castOf(SEED, WEBHOOK_CAST).signers;
const AFTER = 25n * 3_600n;
const settled = { success: true, transaction: `0x${"77".repeat(32)}`, network: "eip155:31337", payer };

/** The webhook's clearing, of which 1,300 are released, paid by x402. */
async function cleared(at = target): Promise<Played & { readonly instruction: NonNullable<Played["instruction"]> }> {
  const rail = { execution_rail: { name: "x402", mode: "exact" }, receipt_requirement: { type: X402_RECEIPT, target: at } };
  const played = await play(webhook(SEED, (terms) => ({ ...terms, settlement_policy: rail })));
  if (played.instruction === undefined) throw new Error("the scenario settles");
  return { ...played, instruction: played.instruction };
}

describe("an instruction on the rail x402", () => {
  const { deployment, engine, now } = webhook(SEED);
  const by = (signer: Emission["signer"]) => ({ signer, issuedAt: "2026-05-28T15:00:00Z" });
  const finality = (played: Awaited<ReturnType<typeof cleared>>, receipt?: ReturnType<typeof receiptOf>) =>
    evaluateFinality({
      ...played,
      receipt,
      deployment,
      engine,
      now: now + AFTER,
      environment: { appealsFiledAt: [], resolvedConflicts: [] },
    });
  const clauses = (...args: Parameters<typeof finality>) => granted(finality(...args));

  it("asks for what it releases, as clients of that protocol read it", async () => {
    const { instruction } = await cleared();
    const request = { url: "https://acme.example/settlements/1", token: { name: "USDC", version: "2" } };
    const required = requiredSchema.parse(paymentRequired(instruction, request));
    expect(required.accepts).to.deep.equal([
      {
        scheme: "exact",
        network: "eip155:31337",
        amount: "1300",
        asset,
        payTo,
        maxTimeoutSeconds: 120,
        extra: { name: "USDC", version: "2" },
      },
    ]);
  });

  it("is final once a receipt of its payment is there, by an issuer of neither party", async () => {
    const played = await cleared();
    const { instruction } = played;
    expect(clauses(played)).to.deep.include({ phi_result: false });
    expect(clauses(played).predicate_clauses.payment_receipt_held).to.equal(false);
    const receipt = receiptOf(instruction, settled, by(keys["ci-runner"]));
    expect(receipt?.class).to.equal("REC");
    expect(clauses(played, receipt)).to.include({ phi_result: true, transition: "PROVISIONAL -> FINAL" });
  });

  it("takes no receipt of another payment, another instruction, or by somebody who may not give it", async () => {
    const played = await cleared();
    const { instruction, obligation } = played;
    const receipt = receiptOf(instruction, settled, by(keys["ci-runner"]));
    if (receipt === undefined) throw new Error("unreachable");
    const honest = {
      ...{ instruction_id: instruction.instruction_id, network: "eip155:31337", asset, payTo, amount: 1300 },
      ...{ payer, transaction: "0x77" },
    };
    const said = (change: Partial<typeof honest>) => {
      const artifact = { id: "x402/0x77", type: X402_RECEIPT, content: { ...honest, ...change } };
      return emitted(obligation.obligation_hash, artifact, { ...by(keys["ci-runner"]), class: "REC" });
    };
    expect(clauses(played, said({})).phi_result).to.equal(true);
    const other = obligation.obligation_hash;
    for (const change of [{ amount: 1299 }, { payTo: payer }, { asset: payer }, { network: "eip155:1" }, { instruction_id: other }])
      expect(clauses(played, said(change)).phi_result, Object.keys(change).join()).to.equal(false);
    const guardOf = (one: ReturnType<typeof receiptOf>) => {
      const answer = finality(played, one);
      return answer.ok ? undefined : answer.refusals[0]?.guard;
    };
    expect(guardOf(receiptOf(instruction, settled, by(keys["coder-v2"])))).to.equal("NOT_REGISTERED_FOR_CLASS");
    expect(guardOf({ ...receipt, content: { ...honest, amount: 1 } })).to.equal("CONTENT_MISMATCH");
    expect(guardOf({ ...receipt, class: "ATT" })).to.equal("CLASS_ABOVE_PROVENANCE");
    for (const answer of [{ ...settled, success: false }, { ...settled, network: "eip155:1" }, null])
      expect(receiptOf(instruction, answer, by(keys["ci-runner"]))).to.equal(undefined);
  });

  it("is never final where its target is no place, and another rail waits for no receipt", async () => {
    const lost = await cleared("somewhere");
    expect([isPaidByX402(lost.instruction), paymentOf(lost.instruction)]).to.deep.equal([true, undefined]);
    expect(paymentRequired(lost.instruction, { url: "https://acme.example", token: { name: "USDC", version: "2" } })).to.equal(undefined);
    expect(clauses(lost).phi_result).to.equal(false);
    const played = await play(webhook(SEED));
    if (played.instruction === undefined) throw new Error("the scenario settles");
    const evaluation = clauses({ ...played, instruction: played.instruction });
    expect([evaluation.phi_result, "payment_receipt_held" in evaluation.predicate_clauses]).to.deep.equal([true, false]);
  });
});
