/**
 * Fails when a contract's code exceeds the limit in either compiler profile, and prints the largest. The margin below the chain's
 * 24,576 bytes (EIP-170) is kept for fixes.
 *
 * usage: npm run size
 */
import { compile, compileProduction } from "./compile.ts";
import { sizesIn } from "./production.ts";

const LIMIT = 24_000;
const PRINTED = 8;

compile();
const profiles = { default: "artifacts", production: await compileProduction() };
for (const [profile, artifacts] of Object.entries(profiles)) {
  const sizes = sizesIn(artifacts);
  if (sizes.length === 0) throw new Error(`${profile}: no contract was compiled`);
  console.log(`contract size, ${profile} profile (limit ${LIMIT} bytes)`);
  for (const { name, size } of sizes.slice(0, PRINTED)) console.log(`  ${String(size).padStart(6)}  ${name}`);
  for (const { name, size } of sizes.filter(({ size }) => size > LIMIT)) {
    console.error(`${name} has ${size} bytes in the ${profile} profile, ${size - LIMIT} too many`);
    process.exitCode = 1;
  }
}
