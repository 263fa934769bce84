/**
 * One deal cleared: an obligation that both sign, evidence that a laboratory vouches for, a verifier, a decision, what is paid.
 *
 * usage: node clear.ts
 */
import {
  bindObligation,
  type Checked,
  clear,
  constraintVerifier,
  deployment,
  emitted,
  equals,
  hashOf,
  ingest,
  openDocket,
  registryOf,
  runVerifier,
  sealEnvelope,
  settle,
  signer,
  signObligation,
} from "agentcity/clearing";

const names = ["buyer", "agent", "lab", "judge", "engine"] as const;
const [buyer, agent, lab, judge, engine] = names.map((name, index) => signer(name, "ed25519", new Uint8Array(32).fill(index + 1)));
if (!buyer || !agent || !lab || !judge || !engine) throw new Error("there are five");
const known = [
  buyer,
  agent,
  { ...lab, issues: ["ATT"] },
  { ...judge, role: "constraint" as const },
  { ...engine, role: "engine" as const },
];
const world = deployment(registryOf(known.map(({ sign: _, ...identity }) => ({ ...identity, principal: `house of ${identity.id}` }))));
const granted = <Value>(checked: Checked<Value>): Value => {
  if (!checked.ok) throw new Error(checked.refusals.map(({ guard, details }) => `${guard}: ${details}`).join("\n"));
  return checked.value;
};

const terms = {
  obligation_id: hashOf({ deal: 1 }),
  parties: { requestor: "buyer", provider: "agent" },
  task: { description: "Make the tests pass" },
  scope: {},
  prohibitions: [],
  required_actions: [],
  acceptance_criteria: ["the tests pass"],
  admissibility_floors: { fee_release: "ATT" }, // nothing weaker than an attestation moves the fee
  verifier_policy: { verifiers: ["judge"], count: 1, questions: ["performance" as const] },
  economic_terms: { fee: 1000, collateral: 0, currency: "USD" },
  deadlines: { execution_window_hours: 24, appeal_window_hours: 24 },
};
const obligation = granted(bindObligation(signObligation(terms, { requestor: buyer, provider: agent }), world));
const { obligation_hash } = obligation;
for (const [by, held] of [
  [lab, "ATT"],
  [agent, "SIGN"],
] as const) {
  const log = emitted(
    obligation_hash,
    { id: "log", type: "ci_log", content: { failed: 0 } },
    { signer: by, class: held, issuedAt: "2026-05-01T10:00:00Z" },
  );
  const sealed = sealEnvelope(agent, { obligation_hash, submitted_at: "2026-05-01T11:00:00Z", items: [log] });
  const envelope = granted(ingest(sealed, obligation, world));
  const verifier = constraintVerifier({ signer: judge, answers: [{ question: "performance" }], rules: { ci_log: [equals("failed", 0)] } });
  const output = await runVerifier(verifier, { obligation, envelope, admissibility: world.admissibility });
  const now = BigInt(Date.parse("2026-05-01T12:00:00Z") / 1000);
  const cleared = clear({ obligation, envelope, outputs: [output], deployment: world, engine, now });
  const paid = granted(settle(cleared, engine, openDocket()));
  console.log(`${held} by ${by.id}: ${cleared.decision.performance}, ${JSON.stringify(paid?.fee_action ?? "nothing is paid")}`);
}
