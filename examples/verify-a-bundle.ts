/**
 * Checks a finished mission's bundle without the city and without a chain: every file against the manifest, the log's chain of hashes,
 * and the signatures under every clearing. `npm run audit` checks all this against the replayed chain, and much more.
 *
 * usage: node verify-a-bundle.ts <.agentcity/missions/0x…>
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type ClearingDecision,
  decisionHash,
  hashOf,
  messageOf,
  type PublicKey,
  type VerifierOutput,
  verifySignature,
} from "agentcity/clearing";

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("usage: node verify-a-bundle.ts <bundle>");
const read = (path: string) => readFileSync(join(folder, path));
const problems: string[] = [];

// Every byte against the manifest.
const manifest = JSON.parse(read("manifest.json").toString()) as { files: { path: string; sha256: string }[] };
for (const { path, sha256 } of manifest.files)
  if (`0x${createHash("sha256").update(read(path)).digest("hex")}` !== sha256) problems.push(`${path} was changed`);

// Every log entry carries the hash of the one before it.
interface Entry {
  kind: string;
  content: string | null;
  prev: string;
  hash: string;
}
const log = read("log.ndjson")
  .toString()
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as Entry);
for (const [index, { hash, ...body }] of log.entries()) {
  if (hashOf(body) !== hash) problems.push(`log entry ${index + 1} was changed`);
  if (index > 0 && body.prev !== log[index - 1]?.hash) problems.push(`log entry ${index + 1} does not follow the one before`);
}

// Every clearing: what its engine and its verifiers signed.
interface ClearingRecord {
  keys: Record<string, PublicKey>;
  outputs: VerifierOutput[];
  decision: ClearingDecision;
}
const clearings = log.filter(({ kind, content }) => kind === "execution.clearing" && content !== null);
for (const { content } of clearings) {
  const { keys, outputs, decision } = JSON.parse(read(`blocks/${content}`).toString()) as ClearingRecord;
  const key = keys[decision.clearing_engine];
  const message = messageOf("clearing-decision", decisionHash(decision));
  if (key === undefined || !verifySignature(key, message, decision.clearing_engine_signature))
    problems.push(`${content}: the engine did not sign this decision`);
  for (const { signature, ...output } of outputs) {
    const by = keys[output.verifier];
    if (by === undefined || !verifySignature(by, messageOf("verifier-output", hashOf(output)), signature))
      problems.push(`${content}: ${output.verifier} did not sign its verdict`);
  }
}

for (const problem of problems) console.log(`✗ ${problem}`);
console.log(`${manifest.files.length} files, ${log.length} log entries, ${clearings.length} clearings: ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;
