/**
 * Measures agreements on one core, in CPU time: whole cycles with real signatures, the same signatures alone, and cycles without any;
 * a negotiation, a structural verification, a reading; the number of avoided judge queries; and storage. Writes bench/agreements.json and prints it as a table.
 *
 * usage: node scripts/bench/agreements.ts [--check]      --check writes nothing and fails if a row is twenty times slower
 */
import { generateKeyPairSync, sign, verify } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { z } from "zod";
import {
  type Agreement,
  type AgreementEvent,
  type AgreementState,
  AgreementStore,
  advance,
  agreementHash,
  type ByteSigner,
  type Checks,
  checkSignatures,
  contentHash,
  evaluateDelivery,
  type KeyOf,
  lifecycleTerms,
  negotiate,
  openNegotiation,
  PROPOSED,
  proposalFrom,
  readAgreement,
  readResult,
  say,
  settle,
  signAgreement,
  signerOf,
  templateOf,
  verifyStructure,
} from "../../orchestrator/agreements/index.ts";
import { canonicalJson } from "../../orchestrator/primitives/json.ts";
import { root } from "../dev/files.ts";
import { reportSchema } from "./agreements-page.ts";
import { processorSeconds } from "./measure.ts";
import { savedEvaluations } from "./saved-evaluations.ts";

const FILE = join(root, "bench", "agreements.json");
/** Long enough for start-up and garbage collection to be negligible. */
const SECONDS = 1.5;
/** Required share of the speed of a cycle's signatures alone. */
const SHARE = 0.8;
const text = (words: string) => new TextEncoder().encode(words);
const party = (value: string) => ({ identity: { scheme: "uri" as const, value }, display_name: value });
const NAMES = ["client", "provider", "evaluator"] as const;
const WORK = text(`# A study\n\n${"It finds what was asked for, and says where. ".repeat(40)}`);

/** The signers, and how signatures are verified. */
interface Hands {
  readonly signers: Readonly<Record<(typeof NAMES)[number], ByteSigner>>;
  readonly keyOf: KeyOf;
}

function hands(): Hands {
  const [client, provider, evaluator] = NAMES.map((_, index) => signerOf("ed25519", new Uint8Array(32).fill(index + 1)));
  if (client === undefined || provider === undefined || evaluator === undefined) throw new Error("unreachable: there are three");
  const signers = { client, provider, evaluator };
  const keys = new Map<string, ByteSigner>(Object.entries(signers));
  return { signers, keyOf: ({ value }) => keys.get(value)?.publicKey };
}

const TERMS = proposalFrom(templateOf("general"), {
  agreement_id: "asa-bench",
  created_at: "2026-03-26T14:30:00Z",
  expires_at: "2026-03-27T14:30:00Z",
  parties: { client: party("client"), provider: party("provider"), evaluator: { ...party("evaluator"), type: "deterministic" } },
  description: "What is known of a question",
  deliverable_format: "markdown",
  verification: { strategy: "immediate", depth: "structural" },
  escrow: {
    enabled: true,
    binding: { type: "erc8183", contract_address: "0x00000000000000000000000000000000000000e5", chain: "31337" },
    payment: { amount: "10.00", currency: "USDC", graduated_release: { enabled: true } },
  },
});
/** With a deadline, which the template leaves to its user. */
const PROPOSAL = readAgreement({ ...TERMS, service: { ...TERMS.service, constraints: { max_duration_seconds: 3600 } } });
const CHECKS: Checks = { accuracy: async () => 91, completeness: async () => 88, relevance: async () => 90 };
const AT = { timestamp: "2026-03-26T15:00:00Z", startedAt: "2026-03-26T14:30:00Z", verification_id: "ver-bench" };

/** Create, two signatures verified by the other side, fund, deliver, evaluate, accept the result, enforce, divide. */
async function cycle({ signers, keyOf }: Hands, id: number): Promise<void> {
  const created: Agreement = { ...PROPOSAL, agreement_id: `asa-${id}` };
  const terms = lifecycleTerms(created);
  let state: AgreementState = advance(PROPOSED, { name: "accept", by: "provider" }, terms);
  const once = signAgreement(created, "client", signers.client, keyOf);
  const signed = signAgreement(once, "provider", signers.provider, keyOf);
  checkSignatures(signed, keyOf);
  for (const by of ["client", "provider"] as const) state = advance(state, { name: "sign", by }, terms);
  state = advance(advance(state, { name: "fund" }, terms), { name: "deliver" }, terms);
  const delivered = { content: WORK, delivered_at: "2026-03-26T14:50:00Z" };
  const deliverableHash = contentHash(delivered);
  const identity = party("evaluator").identity;
  const verifying = { ...AT, deliverableHash, signer: signers.evaluator, identity };
  const result = await evaluateDelivery(signed, delivered, verifying, { checks: CHECKS });
  const determination = readResult(signed, result, { keyOf, assigned: identity, deliverableHash });
  state = advance(advance(state, { name: "result" }, terms), { name: "enforce" }, terms);
  const { provider } = settle(signed, state, { determination });
  if (provider === 0n) throw new Error("the cycle paid nothing: it is not the intended cycle");
}

/** The three signatures of a cycle alone: made and verified by Node on messages of the same length. */
function signaturesAlone(): () => void {
  const pairs = NAMES.map(() => generateKeyPairSync("ed25519"));
  const message = text(`asa/1 agreement ${agreementHash(PROPOSAL)}`);
  return () => {
    for (const { privateKey, publicKey } of pairs)
      if (!verify(null, message, publicKey, sign(null, message, privateKey))) throw new Error("unreachable: it was just signed");
  };
}

/** Five counter-offers and an acceptance, each signed, verified and replayed. */
function negotiation({ signers, keyOf }: Hands): () => void {
  return () => {
    let at = openNegotiation(PROPOSAL, {});
    for (let round = 0; round < 6; round += 1) {
      const by = round % 2 === 0 ? "provider" : "client";
      const timestamp = `2026-03-26T14:3${round}:00Z`;
      const changes = { "/escrow/payment/amount": (10 + (round + 1) / 4).toFixed(2) };
      const counter = { by, action: "counter", rationale_code: "capacity", timestamp, changes } as const;
      const yes = { by, action: "accept", rationale_code: "other", timestamp } as const;
      at = negotiate(at, say(at, signers[by], round < 5 ? counter : yes), { keyOf });
    }
  };
}

/** The same cycle without cryptography: terms hashed, delivery evaluated, payment determined. */
async function unsignedCycle({ signers }: Hands, id: number): Promise<void> {
  const created: Agreement = { ...PROPOSAL, agreement_id: `asa-${id}` };
  const terms = lifecycleTerms(created);
  const names = ["sign", "sign", "fund", "deliver", "result", "enforce"] as const;
  const events: AgreementEvent[] = names.map((name, index) => ({ name, by: index === 0 ? "client" : "provider" }));
  const state = events.reduce((at, event) => advance(at, event, terms), advance(PROPOSED, { name: "accept", by: "provider" }, terms));
  const delivered = { content: WORK, delivered_at: "2026-03-26T14:50:00Z" };
  const silent: ByteSigner = { publicKey: signers.evaluator.publicKey, sign: () => "0x00" };
  const verifying = { ...AT, deliverableHash: contentHash(delivered), signer: silent, identity: party("evaluator").identity };
  const { determination } = await evaluateDelivery(created, delivered, verifying, { checks: CHECKS });
  settle(created, state, { determination: { release_percent: determination.payment_release_percent } });
}

/** Stored bytes of a finished agreement: its record with both signatures, and its signed result. */
async function storage({ signers, keyOf }: Hands): Promise<{ readonly agreement: number; readonly result: number }> {
  const lines: string[] = [];
  const once = signAgreement(PROPOSAL, "client", signers.client, keyOf);
  const agreement = signAgreement(once, "provider", signers.provider, keyOf);
  new AgreementStore({ read: () => [], append: (line) => lines.push(line) }).put({ agreement, facts: {} });
  const delivered = { content: WORK, delivered_at: "2026-03-26T14:50:00Z" };
  const verifying = { ...AT, deliverableHash: contentHash(delivered), signer: signers.evaluator, identity: party("evaluator").identity };
  const result = await evaluateDelivery(agreement, delivered, verifying, { checks: CHECKS });
  return { agreement: text(lines.join("\n")).length, result: text(canonicalJson(result)).length };
}

/** Runs per second of CPU time, after a warm-up. */
async function measure(run: (index: number) => unknown): Promise<number> {
  for (let warm = 0; warm < 1000; warm += 1) await run(warm);
  const start = process.cpuUsage();
  let [runs, spent] = [0, 0];
  while (spent < SECONDS) {
    for (let batch = 0; batch < 16; batch += 1) await run(runs + batch);
    runs += 16;
    spent = processorSeconds(start);
  }
  return Math.round(runs / spent);
}

/** Speed of a relative to b, measured alternately, so that other load affects both. */
async function shareOf(a: (index: number) => unknown, b: (index: number) => unknown): Promise<number> {
  const spent = { a: 0, b: 0 };
  const timed = async (run: (index: number) => unknown, turn: number): Promise<number> => {
    const start = process.cpuUsage();
    for (let index = 0; index < 16; index += 1) await run(16 * turn + index);
    return processorSeconds(start);
  };
  for (let turn = 0; spent.a < SECONDS; turn += 1) {
    spent.a += await timed(a, turn);
    spent.b += await timed(b, turn);
  }
  return Math.round((1000 * spent.b) / spent.a) / 1000;
}

const real = hands();
const SIGNED = "whole cycle";
const ALONE = "its signatures alone, by Node";
const document = JSON.parse(JSON.stringify(PROPOSAL));
const delivered = { content: WORK, delivered_at: "2026-03-26T14:50:00Z" };
const cases: readonly (readonly [operation: string, signatures: string, run: (index: number) => unknown])[] = [
  [ALONE, "3 made, 3 checked", signaturesAlone()],
  [SIGNED, "3 made, 3 checked", (index) => cycle(real, index)],
  [SIGNED, "none", (index) => unsignedCycle(real, index)],
  ["negotiation of five rounds", "6 made, 6 checked", negotiation(real)],
  ["structural verification", "none", () => verifyStructure(PROPOSAL, delivered, { startedAt: AT.startedAt })],
  ["document read and hashed", "none", () => agreementHash(readAgreement(document))],
];
const rows: { operation: string; signatures: string; perSecond: number }[] = [];
for (const [operation, signatures, run] of cases) rows.push({ operation, signatures, perSecond: await measure(run) });
const shareOfSignatures = await shareOf((index) => cycle(real, index), signaturesAlone());
const saved = [...(await savedEvaluations())];
const report: z.infer<typeof reportSchema> = { rows, shareOfSignatures, saved, bytes: await storage(real) };

console.log(`${"agreements, per second on one core".padEnd(40)}${"signatures".padEnd(22)}${"per second".padStart(12)}`);
for (const { operation, signatures, perSecond } of rows)
  console.log(operation.padEnd(40) + signatures.padEnd(22) + perSecond.toLocaleString("en-US").padStart(12));
console.log(`a cycle reaches ${(100 * shareOfSignatures).toFixed(0)} % of what its signatures alone allow (goal: ${100 * SHARE} %)`);
for (const { defective, questions, asked } of saved)
  console.log(`${questions - asked} of ${questions} judge queries avoided with ${100 * defective} % defective work`);
console.log(`${report.bytes.agreement} bytes of a signed agreement, ${report.bytes.result} of a signed result`);
if (process.argv.includes("--check")) {
  // Speed depends on the machine; only another order of magnitude indicates a problem in the code.
  const committed = reportSchema.parse(JSON.parse(readFileSync(FILE, "utf8")));
  const slow = rows.filter(({ perSecond }, index) => perSecond * 20 < (committed.rows[index]?.perSecond ?? Number.POSITIVE_INFINITY));
  for (const { operation } of slow) console.error(`${operation}: no such row, or twenty times slower than bench/agreements.json says`);
  if (slow.length > 0) process.exitCode = 1;
} else {
  mkdirSync(dirname(FILE), { recursive: true });
  writeFileSync(FILE, `${JSON.stringify(report, null, 2)}\n`);
}
