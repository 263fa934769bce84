import { expect } from "chai";
import { type BoundObligation, bindObligation } from "../../orchestrator/clearing/bind.ts";
import type { ClearingDecision } from "../../orchestrator/clearing/clearing-decision.ts";
import { deployment } from "../../orchestrator/clearing/deployment.ts";
import { type ObligationTerms, signObligation } from "../../orchestrator/clearing/obligation.ts";
import { hashOf } from "../../orchestrator/clearing/seal.ts";
import { attributeFault, bindSubdelegation, type Link } from "../../orchestrator/clearing/subdelegation.ts";
import { castOf } from "../../scripts/clearing/cast.ts";
import { granted } from "../../scripts/clearing/scenario.ts";

/** RAILS 9.2: freight capacity within a ceiling, delegated twice. */
const { signers, registry } = castOf("freight", {
  shipper: { principal: "shipper" },
  orchestrator: { principal: "logistics" },
  broker: { principal: "brokers" },
  carrier: { principal: "carriers" },
  driver: { principal: "drivers" },
});
const world = deployment(registry);
/** Where everybody undertook what they work under by another act than a signature. */
const open = deployment(registry, { undertook: () => true });

function terms(requestor: string, provider: string, change: Partial<ObligationTerms> = {}): ObligationTerms {
  return {
    obligation_id: hashOf({ requestor, provider }),
    parties: { requestor, provider },
    task: { description: "book freight capacity", ceiling: 1000 },
    scope: {},
    prohibitions: ["no fee above the ceiling"],
    required_actions: [],
    acceptance_criteria: [],
    admissibility_floors: { fee_release: "REC" },
    verifier_policy: { verifiers: ["v"], count: 1 },
    economic_terms: { fee: 10, collateral: 0, currency: "USD" },
    deadlines: { execution_window_hours: 1, appeal_window_hours: 1 },
    ...change,
  };
}
const sign = (of: ObligationTerms) => {
  const { requestor, provider } = of.parties;
  const by = new Map(Object.entries(signers));
  const holder = (id: string) => by.get(id) ?? signers.shipper;
  return signObligation(of, { requestor: holder(requestor), provider: holder(provider) });
};
const root = granted(bindObligation(sign(terms("shipper", "orchestrator")), world));
const child = (parent: BoundObligation, requestor: string, provider: string, change: Partial<ObligationTerms> = {}) =>
  sign(terms(requestor, provider, { parent_obligation_hash: parent.obligation_hash, ...change }));
const brokered = granted(bindSubdelegation(child(root, "orchestrator", "broker"), root, world));
const carried = granted(bindSubdelegation(child(brokered, "broker", "carrier"), brokered, world));

const link = (
  obligation: BoundObligation,
  policy: ClearingDecision["policy"],
  performance: ClearingDecision["performance"] = "cleared",
): Link => ({
  obligation,
  decision: { obligation_hash: obligation.obligation_hash, performance, policy },
});

describe("subdelegation", () => {
  it("binds a fresh obligation to its parent's hash", () => {
    expect(carried.parent_obligation_hash).to.equal(brokered.obligation_hash);
    expect(new Set([root, brokered, carried].map((one) => one.obligation_hash)).size).to.equal(3);
  });

  const guardOf = (document: unknown, parent: BoundObligation) => {
    const bound = bindSubdelegation(document, parent, world);
    return bound.ok ? "bound" : bound.refusals[0].guard;
  };

  it("refuses a stranger's child, an orphan, a lower floor and an unsigned one", () => {
    expect(guardOf(child(root, "broker", "carrier"), root)).to.equal("NOT_A_CHILD");
    expect(guardOf(sign(terms("orchestrator", "broker")), root)).to.equal("NOT_A_CHILD");
    expect(guardOf(child(brokered, "orchestrator", "broker"), root)).to.equal("NOT_A_CHILD");
    expect(guardOf(child(root, "orchestrator", "broker", { admissibility_floors: { fee_release: "WIT" } }), root)).to.equal(
      "FLOOR_BELOW_PARENT",
    );
    expect(guardOf({ ...child(root, "orchestrator", "broker"), signatures: {} }, root)).to.equal("PARTY_SIGNATURE");
    expect(guardOf(child(root, "orchestrator", "broker", { admissibility_floors: { fee_release: "ATT" } }), root)).to.equal("bound");
  });

  it("lets fault follow the chain to the agent that exceeded the ceiling", () => {
    const chain = granted(attributeFault([link(root, "violated"), link(brokered, "violated"), link(carried, "violated")]));
    expect(chain.map(({ agents, fault, fields }) => ({ agents, fault, fields }))).to.deep.equal([
      { agents: ["orchestrator"], fault: "delegation", fields: { failed_delegations: 1 } },
      { agents: ["broker"], fault: "delegation", fields: { failed_delegations: 1 } },
      { agents: ["carrier"], fault: "own", fields: { policy_violations: 1 } },
    ]);
  });

  it("leaves it with the one who passed on looser terms than its own", () => {
    const chain = granted(attributeFault([link(root, "violated"), link(brokered, "violated"), link(carried, "complied")]));
    expect(chain.map(({ fault }) => fault)).to.deep.equal(["delegation", "own", "none"]);
    const failed = granted(attributeFault([link(root, "complied", "failed")]));
    expect(failed[0]?.fields).to.deep.equal({ failed_obligations: 1 });
  });

  it("accuses nobody whom an appeal freed, and the link above of what nobody below is at fault for", () => {
    const chain = (exonerated: readonly string[]) =>
      granted(attributeFault([link(root, "violated"), link(brokered, "violated"), { ...link(shared, "complied", "failed"), exonerated }]));
    const shared = granted(
      bindSubdelegation(child(brokered, "broker", "carrier", { obligation_id: hashOf({ two: 1 }), agents: ["driver"] }), brokered, open),
    );
    expect(chain(["driver"]).map(({ agents, fault }) => ({ agents, fault }))).to.deep.equal([
      { agents: ["orchestrator"], fault: "delegation" },
      { agents: ["broker"], fault: "delegation" },
      { agents: ["carrier"], fault: "own" },
    ]);
    const freed = chain(["driver", "carrier"]);
    expect(freed.map(({ fault }) => fault)).to.deep.equal(["delegation", "own", "none"]);
    expect(freed.at(-1)).to.deep.include({ agents: ["carrier", "driver"], fields: {} });
    expect(chain(["somebody else"]).at(-1)?.agents).to.deep.equal(["carrier", "driver"]);
  });

  it("refuses a chain with a link missing, or another's decision", () => {
    expect(attributeFault([link(root, "violated"), link(carried, "violated")]).ok).to.be.false;
    expect(attributeFault([{ ...link(root, "violated"), decision: link(carried, "violated").decision }]).ok).to.be.false;
  });
});
