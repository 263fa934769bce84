/**
 * The two worked scenarios of RAILS (8, 8.6, A.3) as missions on the real contracts: the same keys sign the documents and the messages of the
 * chain, every item of the envelope is an item on chain, and the money goes where the settlement instruction says.
 */
import { expect } from "chai";
import { getBytes, id, type Wallet } from "ethers";
import { type EvidenceItem, itemHash } from "../../orchestrator/clearing/evidence-envelope.ts";
import { toBps } from "../../orchestrator/clearing/fields.ts";
import { addressSchema } from "../../orchestrator/primitives/address.ts";
import { hexSchema } from "../../orchestrator/primitives/hex.ts";
import { EvidenceClass } from "../../orchestrator/rules/admissibility.ts";
import { commitmentOf, type EvidenceEntry, evidenceLeafOf, type Opening } from "../../orchestrator/rules/commitments.ts";
import { Band } from "../../orchestrator/rules/law-codec.ts";
import { inclusionProof, merkleRoot } from "../../orchestrator/rules/ordered-merkle.ts";
import { type CHARGER_CAST, charger } from "../../scripts/clearing/charger.ts";
import { type Played, play } from "../../scripts/clearing/scenario.ts";
import { type WEBHOOK_CAST, webhook } from "../../scripts/clearing/webhook.ts";
import { Kind, keyOf, loadFixture, networkHelpers, tokens } from "../support/city-fixture.ts";
import {
  Clearing,
  loadPeopledCity,
  type Mission,
  MissionState,
  NodeState,
  openMissionIn,
  packed,
  Result,
  TASK,
  type VerdictOptions,
} from "../support/mission-fixture.ts";

const SEED = 7;
const DAY = 86_400;
const hex = (text: string) => hexSchema.parse(text);
const secretOf = (key: Wallet) => getBytes(key.privateKey);
const WHOLE = 10_000;
/** RAILS counts whole units of money; no protocol fee, no insurance, no premium, no second attempt. */
const PARAMS = { protocolFeeRate: 0, insuranceReserveRate: 0, reputationScaling: false, maxRefinementIterations: 0 };

/** A sixth verifier, and the issuers of the two scenarios, each of a house of its own. */
async function railsCity() {
  const city = await loadPeopledCity();
  const { agent } = await city.register("sixth verifier", { kind: Kind.VERIFIER, stake: tokens(2000) });
  await city.evidence.registerVerifier(agent.address, 100);
  city.verifiers.set(agent.address, agent);
  const issuers = { "payment-network": "WIT", merchant: "REC", catalogue: "REC" } as const;
  for (const [name, own] of Object.entries(issuers)) {
    await city.evidence.registerIssuer(keyOf(name).address, keyOf(`${name}'s house`).address, 1 << EvidenceClass[own]);
  }
  return city;
}

/** Routed missions of one executor per node. */
async function open(nodes: readonly (typeof TASK)[]) {
  const city = await loadFixture(railsCity);
  const mission = await (await (await openMissionIn(city, { nodes: [...nodes], params: PARAMS })).activate()).awardAll();
  await mission.route(...nodes.keys());
  return mission;
}

/** The envelope of a scenario as an executor's items on chain: payload = hash of the item, class and issuer as its first hop says. */
class Envelope {
  readonly mission: Mission;
  readonly node: number;
  readonly items: readonly EvidenceItem[];
  readonly keys: Readonly<Record<string, Wallet>>;

  constructor(mission: Mission, node: number, items: readonly EvidenceItem[], keys: Readonly<Record<string, Wallet>>) {
    this.mission = mission;
    this.node = node;
    this.items = items;
    this.keys = keys;
  }

  #entry(item: EvidenceItem, index: number): EvidenceEntry {
    const emitter = item.provenance[0]?.emitter ?? "";
    const issuer = addressSchema.parse((this.keys[emitter] ?? keyOf("nobody")).address);
    const own = Object.entries(EvidenceClass).find(([name]) => name === item.class);
    return { slot: 0, index, kind: 1, payload: itemHash(item), issuer, class: own?.[1] ?? EvidenceClass.SELF };
  }

  async obligation() {
    return hex(await this.mission.contract.obligationOf(this.node));
  }

  async opening(): Promise<Opening> {
    const obligation = await this.obligation();
    const entries = this.items.map((item, index) => this.#entry(item, index));
    return {
      salt: hex(id("salt")),
      outputHash: itemHash(this.items[0] ?? raise("no items")),
      trailRoot: hex(id("trail")),
      envelopeRoot: merkleRoot(entries.map((entry) => evidenceLeafOf(obligation, entry))),
      items: entries.length,
      classes: entries.reduce((word, entry) => word | (BigInt(entry.class) << BigInt(3 * entry.index)), 0n),
    };
  }

  async commit(): Promise<void> {
    const { mission, node } = this;
    const { agent } = await mission.executorOf(node);
    const opening = await this.opening();
    const commitment = commitmentOf(addressSchema.parse(agent.address), opening, await this.obligation());
    const deadline = await mission.soon();
    const message = { agent: agent.address, node, slot: 0, attempt: 0, commitment, deadline };
    await mission.contract.commitOpen(node, 0, opening, deadline, await mission.city.sign("Commit", mission.address, message, agent));
    await networkHelpers.mine();
  }

  /** Items of a basis as bits. */
  bits(hashes: readonly string[]): bigint {
    return this.items.reduce((bits, item, index) => (hashes.includes(itemHash(item)) ? bits | (1n << BigInt(index)) : bits), 0n);
  }

  /** Asks for clearing with what each member of the panel says, and every item that somebody vouches for and some verdict rests on. */
  async clear(says: (verifier: string, place: number) => VerdictOptions) {
    const { mission, node } = this;
    const obligation = await this.obligation();
    const panel = await mission.contract.panelOf(node);
    const said = panel.map(says);
    const verdicts = [];
    for (const [place, verifier] of panel.entries()) verdicts.push(await mission.verdict(node, verifier, said[place]));
    const rests = said.reduce((bits, { basis = 0n }) => bits | basis, 0n);
    const entries = this.items.map((item, index) => this.#entry(item, index));
    const leaves = entries.map((entry) => evidenceLeafOf(obligation, entry));
    const items = [];
    for (const [index, entry] of entries.entries()) {
      const key = this.keys[this.items[index]?.provenance[0]?.emitter ?? ""];
      if (key === undefined || entry.class === EvidenceClass.SELF || ((rests >> BigInt(index)) & 1n) === 0n) continue;
      const signature = await mission.city.sign(
        "Evidences",
        mission.address,
        { issuer: entry.issuer, items: [{ ...entry, obligation }] },
        key,
      );
      items.push({ ...entry, proof: [...inclusionProof(leaves, index)], signature });
    }
    return mission.contract.clear(packed({ node, openings: [await this.opening()], verdicts, items }));
  }
}

const raise = (problem: string): never => {
  throw new Error(problem);
};

describe("the worked scenarios of RAILS on chain", () => {
  it("webhook: cleared at ATT, the judge that read a self-report weighs nothing, 1,300 of 1,500 released after the window", async () => {
    const node = { ...TASK, floor: EvidenceClass.ATT, band: Band.ELEVATED, panelSize: 3, budget: tokens(1500) };
    const mission = await open([node]);
    const { city, contract } = mission;
    const { agent } = await mission.executorOf(0);
    // Those of the paper's mesh who answer for performance, the question the law asks, sit on the drawn panel.
    const seats: readonly (keyof typeof WEBHOOK_CAST)[] = ["v3_ci_receipt", "v4_semantic_llm", "v6_human_reviewer"];
    const keys = { "acme-corp": city.sponsor, "coder-v2": agent, "ci-runner": city.issuer };
    const terms = { obligation_id: hex(await contract.obligationOf(0)) };
    // The panel is drawn by the commitment's block; whoever sits where, the evidence is the same.
    const evidence = webhook(SEED, (own) => ({ ...own, ...terms }), secretsOf(keys)).envelope.items;
    const envelope = new Envelope(mission, 0, evidence, { ...keys, "acme-engineer": keyOf("acme-engineer") });
    await envelope.commit();
    const panel = await contract.panelOf(0);
    const holders = Object.fromEntries(seats.map((seat, place) => [seat, city.verifiers.get(panel[place] ?? "") ?? raise("no holder")]));
    const played = await play(webhook(SEED, (own) => ({ ...own, ...terms }), secretsOf({ ...keys, ...holders })));
    const share = shareOf(played);

    const cleared = envelope.clear((_, place) => {
      const output = played.outputs.find(({ verifier }) => verifier === seats[place]) ?? raise("a seat is silent");
      const result = output.verdict === "PASS" ? Result.PASS : Result.FAIL;
      return { result, confidence: toBps(output.confidence), score: share, basis: envelope.bits(output.basis) };
    });
    // The chain's decision is the library's on the same question, with the same exclusion.
    const { decision, instruction } = played;
    expect([decision.performance, decision.policy, decision.excluded_verifiers]).to.deep.equal([
      "cleared",
      "violated",
      ["v4_semantic_llm"],
    ]);
    const relied = played.outputs.filter(
      ({ verifier, answers }) =>
        decision.surviving_verifiers.includes(verifier) && answers.some(({ question }) => question === "performance"),
    );
    const basis = envelope.bits(relied.flatMap((output) => output.basis));
    const confidence = toBps(decision.question_confidence.performance);
    // A clause's confidence is the least of the clauses': review 0.85; the chain's is 0.95 and 0.85 over the weight of three: 0.60.
    expect(confidence).to.equal(8500);
    await expect(cleared).to.emit(contract, "Cleared").withArgs(0, 0, Clearing.PASS, 6000, share, EvidenceClass.ATT, basis, 1);
    expect(await contract.countedOf(0)).to.have.length(2);

    // Fee: released to the agent, retained for the sponsor, both only when the appeal window of 24 h is over.
    expect(instruction?.fee_action).to.include({ type: "partial_release", release_amount: 1300, retain_amount: 200 });
    await expect(contract.claim([0])).to.be.revertedWithCustomError(contract, "WindowOpen");
    await networkHelpers.time.increase(DAY);
    const sponsor = await city.token.balanceOf(city.sponsor.address);
    await contract.claim([0]);
    await contract.close();
    // 1,300 / 1,500 in basis points, rounded down: 0.10 of 1,300 goes to the sponsor instead.
    expect(await city.wealthOf(agent.address)).to.equal(1_299_900_000n);
    expect(await city.token.balanceOf(city.sponsor.address)).to.equal(sponsor + 200_100_000n);
    expect(await contract.state()).to.equal(MissionState.COMPLETED);
    expect(await mission.imbalance()).to.equal("");
  });

  it("charger: the mandate clears at WIT and the purchase fails at REC; all of fee and price go back", async () => {
    const purchase = { ...TASK, floor: EvidenceClass.REC, panelSize: 3, budget: tokens(48) };
    // One floor per node: the question of policy has its own, for the smallest amount there is.
    const mandate = { ...TASK, floor: EvidenceClass.WIT, questions: 2, panelSize: 3, budget: 1n };
    const mission = await open([purchase, mandate]);
    const { city, contract } = mission;
    const { agent } = await mission.executorOf(0);
    const keys = {
      user: city.sponsor,
      "shopping-agent": agent,
      "payment-network": keyOf("payment-network"),
      merchant: keyOf("merchant"),
      catalogue: keyOf("catalogue"),
    } satisfies Partial<Record<keyof typeof CHARGER_CAST, Wallet>>;
    const obligation_id = hex(await contract.obligationOf(0));
    const played = await play(charger(SEED, (own) => ({ ...own, obligation_id }), secretsOf(keys)));
    const { decision, instruction, envelope: admitted, outputs } = played;
    expect([decision.performance, decision.policy, decision.excluded_verifiers]).to.deep.equal(["failed", "complied", ["v_semantic"]]);
    const envelopes = [0, 1].map((node) => new Envelope(mission, node, admitted.envelope.items, keys));
    for (const envelope of envelopes) await envelope.commit();
    const [bought, authorised] = envelopes;
    if (bought === undefined || authorised === undefined) throw new Error("no envelopes");

    // Every member of the panel ran the whole mesh, and says what Γ with its clauses gives.
    const basisOf = (verifier: string) => outputs.find((output) => output.verifier === verifier)?.basis ?? [];
    const failed = { result: Result.FAIL, confidence: toBps(decision.question_confidence.performance), score: 0, agreeing: 0 };
    const fails = bought.clear(() => ({ ...failed, basis: bought.bits(basisOf("v_constraint")) }));
    await expect(fails).to.emit(contract, "SlashPending");
    expect(await mission.stateOf(0)).to.equal(NodeState.FAILED);
    const passes = { result: Result.PASS, confidence: toBps(decision.question_confidence.policy), question: 1 };
    const complies = authorised.clear(() => ({ ...passes, basis: authorised.bits(basisOf("v_authority")) }));
    await expect(complies).to.emit(contract, "Cleared").withArgs(1, 0, Clearing.PASS, WHOLE, WHOLE, EvidenceClass.WIT, 1, 1);

    // The rail reverses the price, and the fee is refunded.
    expect(instruction?.fee_action).to.include({ type: "refund", refund_amount: 3 });
    expect(instruction?.principal_action).to.include({ type: "reverse", amount: 45 });
    await contract.abort();
    const sponsor = await city.token.balanceOf(city.sponsor.address);
    await contract.refund();
    expect(await city.token.balanceOf(city.sponsor.address)).to.equal(sponsor + tokens(48));
    expect((await contract.entitlementOf(0, 0)).paid).to.equal(0);
    expect(await contract.state()).to.equal(MissionState.FAILED);
    expect(await mission.imbalance()).to.equal("");
  });
});

function secretsOf(keys: Readonly<Record<string, Wallet>>): Record<string, Uint8Array> {
  return Object.fromEntries(Object.entries(keys).map(([name, key]) => [name, secretOf(key)]));
}

/** What the instruction releases of the fee, basis points, rounded down. */
function shareOf({ instruction, obligation }: Played): number {
  const action = instruction?.fee_action;
  return action?.type === "partial_release" ? Math.floor((action.release_amount * WHOLE) / obligation.economic_terms.fee) : 0;
}
