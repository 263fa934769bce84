/**
 * Two parties make an agreement with its own escrow: negotiated, signed, funded, delivered, evaluated and settled on a chain in this
 * process, or ended by the timeout that the case tests. Fails if the chain pays other amounts than the documents say.
 *
 * usage: npm run agreement [-- graduated|disputed|cancelled|no-funds|no-delivery|no-evaluator|backup|no-ruling] [--json]
 */
import { openEmbeddedChain } from "../../orchestrator/chain/embedded.ts";
import { messageOf } from "../../orchestrator/primitives/errors.ts";
import { CASES, type Case, type Played, play } from "./play.ts";

const USAGE = `usage: agentcity agreement [${CASES.join("|")}] [--json]`;

const isCase = (word: string): word is Case => CASES.some((name) => name === word);
const amount = (units: bigint) => (Number(units) / 1e6).toFixed(6);

function print({ name, agreementHash, steps, status, owed, paid }: Played): void {
  console.log(`${name}: agreement ${agreementHash}`);
  for (const { step, outcome } of steps) {
    const what = outcome.kind === "settled" ? `${outcome.reference} ${String(outcome.gas).padStart(8)} gas` : outcome.kind;
    console.log(`  ${step.padEnd(10)} ${what}`);
  }
  console.log(`  ${status}; paid to the provider ${amount(paid.provider)}, back to the client ${amount(paid.client)} USDC`);
  if (owed.provider !== paid.provider || owed.client !== paid.client)
    console.log(`  the documents say ${amount(owed.provider)} and ${amount(owed.client)}`);
}

/** Exit codes: 0 paid as agreed, 1 not, 2 usage error. */
async function main(words: readonly string[]): Promise<number> {
  if (words.includes("--help") || words.includes("-h")) {
    console.log(USAGE);
    return 0;
  }
  const asked = words.filter((word) => word !== "--json");
  if (asked.length > 1 || !asked.every(isCase)) {
    if (words.includes("--json")) console.log(JSON.stringify({ status: "error", error: { code: "Usage", message: USAGE } }));
    console.error(USAGE);
    return 2;
  }
  const chain = await openEmbeddedChain();
  try {
    const played = await play(chain, asked.find(isCase) ?? "graduated");
    if (words.includes("--json")) console.log(JSON.stringify(played, (_, value) => (typeof value === "bigint" ? String(value) : value)));
    else print(played);
    return played.owed.provider === played.paid.provider && played.owed.client === played.paid.client ? 0 : 1;
  } finally {
    await chain.close();
  }
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 1;
}
