/**
 * Tries every mutant in a scratch copy: it must compile, and the test it names, which passes there without the edit, must fail. What
 * was killed is remembered by the content of everything it depends on, so that an interrupted run goes on where it stopped.
 *
 * usage: npm run mutants [-- <word>…]      only mutants whose file, edit or test contains one of the words
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { z } from "zod";
import { compile } from "../../scripts/dev/compile.ts";
import { filesIn, root } from "../../scripts/dev/files.ts";
import { openWorkshop } from "../../scripts/dev/workshop.ts";
import { MUTANTS, type Mutant } from "./mutants.ts";
import { Recompiler } from "./recompile.ts";

const MEMORY = join(root, "cache", "mutants.json");
const LIMIT_MS = 1_800_000;
/** How the assertion begins that a walk put an invariant to the test at all. */
const UNTRIED = "times put to the test";
/** Below the copy. */
const NAMED_TEST = join("test", "mutants", "run-named-test.ts");

const Outcome = z.object({
  found: z.number(),
  failures: z.array(z.object({ title: z.string(), hook: z.boolean(), message: z.string() })),
});

type Outcome = z.infer<typeof Outcome>;

/** Where the contracts are that a test deploys. Stale ones elsewhere could only keep a mutant alive. */
const deployedBy = (test: string): string => (test.startsWith("test/contracts/libraries/") ? "test/contracts/harness" : "contracts");

/** Alive with a reason, or dead with what its test said. */
type Verdict = { readonly killed: boolean; readonly because: string };
const alive = (because: string): Verdict => ({ killed: false, because });

/** The copy in which mutants are tried, one after the other. */
class Bench {
  readonly #workshop = openWorkshop("mutants", true);
  readonly #recompiler = new Recompiler(this.#workshop);
  /** What speaks against the tests of a file although nothing was changed. */
  readonly #controlled = new Map<string, string | undefined>();

  kill({ file, find, replace, killedBy, invariant, seed }: Mutant): Verdict {
    const path = join(this.#workshop, "contracts", file);
    const source = readFileSync(path, "utf8");
    if (source.split(find).length !== 2) return alive("its text does not occur exactly once");
    let undo: (() => void) | undefined;
    try {
      const unsound = this.#control(killedBy.file);
      if (unsound !== undefined) return alive(unsound);
      writeFileSync(
        path,
        source.replace(find, () => replace),
      );
      undo = this.#recompiler.change(`contracts/${file}`, deployedBy(killedBy.file));
      return verdictOn(this.#run(killedBy.file, [killedBy.test], { INVARIANT: invariant, SEED: seed }));
    } catch (error) {
      return alive(error instanceof Error ? error.message : String(error));
    } finally {
      undo?.();
      writeFileSync(path, source);
    }
  }

  /** All tests of a file that mutants name must pass in the copy as it is: else their failing would show nothing. Asked once. */
  #control(file: string): string | undefined {
    if (this.#controlled.has(file)) return this.#controlled.get(file);
    const titles = [...new Set(MUTANTS.filter(({ killedBy }) => killedBy.file === file).map(({ killedBy }) => killedBy.test))];
    const key = fingerprint(JSON.stringify(titles), file, this.#workshop);
    if (recall()[key] === undefined) {
      const { found, failures } = this.#run(file, titles);
      const list = failures.map(({ title, message }) => `${title}: ${message}`);
      if (found !== titles.length) list.push(`${found} of ${titles.length} tests are there`);
      this.#controlled.set(file, list.length === 0 ? undefined : `without it: ${list.join("; ")}`);
      if (list.length === 0) remember(key, `${found} tests pass`);
    }
    return this.#controlled.get(file);
  }

  #run(file: string, titles: readonly string[], told: Record<string, number | undefined> = {}): Outcome {
    const given = Object.entries(told).filter(([, value]) => value !== undefined);
    const { stdout, stderr } = spawnSync(process.execPath, [NAMED_TEST, file, ...titles], {
      cwd: this.#workshop,
      encoding: "utf8",
      timeout: LIMIT_MS,
      env: { ...process.env, UNHURRIED: "1", ...Object.fromEntries(given.map(([name, value]) => [name, String(value)])) },
    });
    const line = stdout.split("\n").find((one) => one.startsWith("RESULT "));
    if (line === undefined) throw new Error(`its test did not end: ${stderr.slice(-600)}`);
    return Outcome.parse(JSON.parse(line.slice("RESULT ".length)));
  }

  close(): void {
    rmSync(this.#workshop, { recursive: true });
  }
}

function verdictOn({ found, failures }: Outcome): Verdict {
  if (found !== 1) return alive(`${found} tests have that name`);
  const [failure] = failures;
  if (failure === undefined) return alive("its test passes");
  if (failure.hook) return alive(`a hook failed: ${failure.message}`);
  // A walk that never came to ask about the invariant has not seen it broken.
  if (failure.message.startsWith(UNTRIED)) return alive(failure.message);
  return { killed: true, because: failure.message.split("\n")[0]?.slice(0, 200) ?? "" };
}

const IMPORT = /\b(?:from|import) ?\(?"(\.[^"]+\.ts)"/g;

/** A test and all that it imports, by any number of imports; what is compiled is hashed as contracts. */
function judgesOf(test: string, folder: string): string[] {
  const found = new Set([test]);
  for (const file of found) {
    for (const [, path = ""] of readFileSync(join(folder, file), "utf8").matchAll(IMPORT)) {
      const imported = posix.join(posix.dirname(file), path);
      if (!imported.startsWith("artifacts/")) found.add(imported);
    }
  }
  return [...found].sort();
}

/** A question, the contracts, and who answers: nothing else decides. */
function fingerprint(question: string, test: string, folder = root): string {
  const hash = createHash("sha256").update(question);
  const files = [...filesIn(["contracts/**/*.sol", "test/contracts/**/*.sol"], folder), ...judgesOf(test, folder)];
  for (const file of files) hash.update(file).update(readFileSync(join(folder, file)));
  return hash.digest("hex");
}

/** What killed whom, by fingerprint. */
const Memory = z.record(z.string(), z.string());
const recall = (): z.infer<typeof Memory> =>
  existsSync(MEMORY) ? (Memory.safeParse(JSON.parse(readFileSync(MEMORY, "utf8"))).data ?? {}) : {};

/** Beside what another run remembered meanwhile. */
function remember(key: string, what: string): void {
  mkdirSync(dirname(MEMORY), { recursive: true });
  writeFileSync(MEMORY, JSON.stringify({ ...recall(), [key]: what }, undefined, 1));
}

const lastLine = (text: string): string => text.trim().split("\n").at(-1)?.trim() ?? "";

function nameOf({ file, find, replace, invariant }: Mutant): string {
  return `${invariant === undefined ? "" : `[${invariant}] `}${file}: ${lastLine(find)} → ${lastLine(replace) || "nothing"}`;
}

function main(words: readonly string[]): number {
  compile();
  const chosen = MUTANTS.filter((mutant) => words.length === 0 || words.some((word) => JSON.stringify(mutant).includes(word)));
  const before = recall();
  // Of what is copied, whatever is edited while this runs.
  const plan = chosen.map((mutant) => ({
    mutant,
    key: fingerprint(JSON.stringify({ ...mutant, seed: undefined }), mutant.killedBy.file),
  }));
  let survivors = 0;
  let bench: Bench | undefined;
  for (const { mutant, key } of plan) {
    let because = before[key];
    if (because === undefined) {
      bench ??= new Bench();
      const start = performance.now();
      const verdict = bench.kill(mutant);
      because = `${verdict.because} (${Math.round((performance.now() - start) / 1000)} s)`;
      if (verdict.killed) remember(key, because);
      else survivors += 1;
      console.log(`${verdict.killed ? "killed" : "ALIVE "} ${nameOf(mutant)}\n       ${because}`);
    } else console.log(`killed ${nameOf(mutant)}\n       ${because}, remembered`);
  }
  bench?.close();
  console.log(`\n${chosen.length - survivors} killed, ${survivors} alive`);
  return survivors === 0 && chosen.length > 0 ? 0 : 1;
}

process.exitCode = main(process.argv.slice(2));
