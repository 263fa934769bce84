/**
 * Two strangers agree without a city: a proposal, one counter-offer, two signatures, a delivery, a score, and who is paid what.
 *
 * usage: node agree.ts
 */
import {
  type AgreementEvent,
  advance,
  agreementHash,
  determine,
  divide,
  type KeyOf,
  lifecycleTerms,
  negotiate,
  openNegotiation,
  readAgreement,
  readSigned,
  say,
  signAgreement,
  signerOf,
} from "agentcity/agreements";

// Keys of your own in place of these; whose key is whose is for you to know.
const client = signerOf("ed25519", new Uint8Array(32).fill(1));
const provider = signerOf("secp256k1", new Uint8Array(32).fill(2));
const keyOf: KeyOf = ({ value }) => ({ alpha: client, beta: provider })[value]?.publicKey;

const proposal = readAgreement({
  asa_version: "1.0.0",
  agreement_id: "asa-example",
  created_at: "2026-03-26T14:30:00Z",
  expires_at: "2026-03-27T14:30:00Z",
  status: "proposed",
  parties: {
    client: { identity: { scheme: "uri", value: "alpha" } },
    provider: { identity: { scheme: "uri", value: "beta" } },
    evaluator: { identity: { scheme: "uri", value: "gamma" }, type: "deterministic" },
  },
  service: { type: "translation", description: "A page into Portuguese", deliverable_format: "markdown" },
  quality_criteria: {
    dimensions: [
      { name: "accuracy", weight: 0.7, metric: "percentage", slo: { operator: "gte", value: 80 } },
      { name: "timeliness", weight: 0.3, metric: "boolean" },
    ],
    composite_threshold: 75,
    composite_method: "weighted_average",
    guarantee_type: "deterministic",
  },
  verification: { strategy: "optimistic", challenge_window_seconds: 3600 },
  escrow: {
    enabled: true,
    binding: { type: "erc8183", contract_address: "0x00000000000000000000000000000000000000e5", chain: "31337" },
    payment: { amount: "10.00", currency: "USDC", graduated_release: { enabled: true, mode: "continuous" } },
  },
});

// The provider asks for a quarter more, which is as far as one round goes; the client takes it.
const opened = openNegotiation(proposal, { medianPrice: "10.00" });
const options = { keyOf, medianPrice: "10.00" };
const ask = say(opened, provider, {
  by: "provider",
  action: "counter",
  rationale_code: "capacity",
  timestamp: "2026-03-26T14:31:00Z",
  changes: { "/escrow/payment/amount": "12.50" },
});
const countered = negotiate(opened, ask, options);
const yes = say(countered, client, { by: "client", action: "accept", rationale_code: "other", timestamp: "2026-03-26T14:32:00Z" });
const agreed = negotiate(countered, yes, options);

const once = signAgreement(agreed.offer, "client", client, keyOf);
const signed = readSigned(JSON.parse(JSON.stringify(signAgreement(once, "provider", provider, keyOf))), keyOf);
console.log(`agreed on ${signed.escrow?.payment.amount} ${signed.escrow?.payment.currency}, ${agreementHash(signed)}`);

// Its life: what happened, and then silence, which closes the challenge window.
const terms = lifecycleTerms(signed);
const events: readonly AgreementEvent[] = [
  { name: "sign", by: "client" },
  { name: "sign", by: "provider" },
  { name: "fund" },
  { name: "deliver" },
  { name: "result" },
  { name: "timeout" },
];
const state = events.reduce((at, event) => advance(at, event, terms), agreed.state);
const done = determine(signed, { accuracy: 91, timeliness: true });
const paid = divide(signed, done.release_percent);
console.log(`${done.result} with ${done.composite / 100}: ${state.status}, by ${state.division}`);
console.log(`provider ${paid.provider}, client ${paid.client} of the smallest units`);
