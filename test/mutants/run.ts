/**
 * Tries every mutant in a scratch copy: it must compile, and the test it names must fail. What was killed is remembered by the
 * content of everything it depends on, so that an interrupted run goes on where it stopped.
 *
 * usage: npm run mutants [-- <word>…]      only mutants whose file, edit or test contains one of the words
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { compile } from "../../scripts/dev/compile.ts";
import { filesIn, root } from "../../scripts/dev/files.ts";
import { openWorkshop } from "../../scripts/dev/workshop.ts";
import { MUTANTS, type Mutant } from "./mutants.ts";

const MEMORY = join(root, "cache", "mutants.json");
const LIMIT_MS = 400_000;

const Result = z.object({
  found: z.number(),
  failures: z.array(z.object({ title: z.string(), hook: z.boolean(), message: z.string() })),
});

/** Why a mutant is alive, or nothing. */
function tryToKill(workshop: string, { file, find, replace, killedBy, invariant }: Mutant): string | undefined {
  const path = join(workshop, "contracts", file);
  const source = readFileSync(path, "utf8");
  if (source.split(find).length !== 2) return "its text does not occur exactly once";
  const node = (script: string, args: readonly string[]) =>
    spawnSync(process.execPath, [join(workshop, script), ...args], {
      cwd: workshop,
      encoding: "utf8",
      timeout: LIMIT_MS,
      env: { ...process.env, ...(invariant === undefined ? {} : { INVARIANT: String(invariant) }) },
    });
  writeFileSync(
    path,
    source.replace(find, () => replace),
  );
  try {
    const compiled = node("scripts/dev/compile.ts", []);
    if (compiled.status !== 0) return `it does not compile: ${compiled.stderr.slice(-600)}`;
    const { stdout, stderr } = node("test/mutants/run-named-test.ts", [killedBy.file, killedBy.test]);
    const line = stdout.split("\n").find((one) => one.startsWith("RESULT "));
    if (line === undefined) return `its test did not end: ${stderr.slice(-600)}`;
    return judge(Result.parse(JSON.parse(line.slice("RESULT ".length))));
  } finally {
    writeFileSync(path, source);
  }
}

function judge({ found, failures }: z.infer<typeof Result>): string | undefined {
  if (found !== 1) return `${found} tests have that name`;
  const [failure] = failures;
  if (failure === undefined) return "its test passes";
  return failure.hook ? `a hook failed: ${failure.message}` : undefined;
}

/** Contracts, the mutant, and the tests that judge it. */
function fingerprint(mutant: Mutant): string {
  const hash = createHash("sha256").update(JSON.stringify(mutant));
  const judges = mutant.invariant === undefined ? [mutant.killedBy.file] : filesIn("test/invariants/**/*.ts");
  for (const file of [...filesIn("contracts/**/*.sol"), ...filesIn("test/support/**/*.ts"), ...judges])
    hash.update(readFileSync(join(root, file)));
  return hash.digest("hex");
}

function main(words: readonly string[]): number {
  compile();
  const chosen = MUTANTS.filter((mutant) => words.length === 0 || words.some((word) => JSON.stringify(mutant).includes(word)));
  const killed = new Set(existsSync(MEMORY) ? z.array(z.string()).parse(JSON.parse(readFileSync(MEMORY, "utf8"))) : []);
  const alive: string[] = [];
  let workshop: string | undefined;
  for (const mutant of chosen) {
    const key = fingerprint(mutant);
    const name = `${mutant.file}: ${mutant.find.trim().split("\n").at(-1)?.trim()} → ${mutant.replace.trim().split("\n").at(-1)?.trim() || "nothing"}`;
    if (!killed.has(key)) {
      workshop ??= openWorkshop("mutants", true);
      const reason = tryToKill(workshop, mutant);
      if (reason !== undefined) {
        alive.push(`${name}\n    ${reason}`);
        console.log(`ALIVE  ${name}: ${reason}`);
        continue;
      }
      killed.add(key);
      mkdirSync(dirname(MEMORY), { recursive: true });
      writeFileSync(MEMORY, JSON.stringify([...killed]));
    }
    console.log(`killed ${name}`);
  }
  if (workshop !== undefined) rmSync(workshop, { recursive: true });
  console.log(`\n${chosen.length - alive.length} killed, ${alive.length} alive`);
  return alive.length === 0 && chosen.length > 0 ? 0 : 1;
}

process.exitCode = main(process.argv.slice(2));
