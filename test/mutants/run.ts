/**
 * Tries every mutant in a scratch copy: it must compile, and the test it names, which passes there without the edit, must fail. What
 * was killed is remembered by the content of everything it depends on, so that an interrupted run goes on where it stopped.
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
import { Recompiler } from "./recompile.ts";

const MEMORY = join(root, "cache", "mutants.json");
const LIMIT_MS = 1_800_000;
/** Below the copy. */
const NAMED_TEST = join("test", "mutants", "run-named-test.ts");

const Outcome = z.object({
  found: z.number(),
  failures: z.array(z.object({ title: z.string(), hook: z.boolean(), message: z.string() })),
});

type Outcome = z.infer<typeof Outcome>;

/** Where the contracts are that a test deploys. Stale ones elsewhere could only keep a mutant alive. */
const deployedBy = (test: string): string => (test.startsWith("test/contracts/libraries/") ? "test/contracts/harness" : "contracts");

/** The copy in which mutants are tried, one after the other. */
class Bench {
  readonly #workshop = openWorkshop("mutants", true);
  readonly #recompiler = new Recompiler(this.#workshop);
  /** What speaks against the tests of a file although nothing was changed. */
  readonly #controlled = new Map<string, string | undefined>();

  /** Why a mutant is alive, or nothing. */
  kill({ file, find, replace, killedBy, invariant }: Mutant): string | undefined {
    const path = join(this.#workshop, "contracts", file);
    const source = readFileSync(path, "utf8");
    if (source.split(find).length !== 2) return "its text does not occur exactly once";
    let undo: (() => void) | undefined;
    try {
      const unsound = this.#control(killedBy.file);
      if (unsound !== undefined) return unsound;
      writeFileSync(
        path,
        source.replace(find, () => replace),
      );
      undo = this.#recompiler.change(`contracts/${file}`, deployedBy(killedBy.file));
      return survives(this.#run(killedBy.file, [killedBy.test], invariant));
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    } finally {
      undo?.();
      writeFileSync(path, source);
    }
  }

  /** All tests of a file that mutants name must pass in the copy as it is: else their failing would show nothing. Asked once. */
  #control(file: string): string | undefined {
    if (this.#controlled.has(file)) return this.#controlled.get(file);
    const titles = [...new Set(MUTANTS.filter(({ killedBy }) => killedBy.file === file).map(({ killedBy }) => killedBy.test))];
    const key = fingerprint(JSON.stringify(titles), judgesOf(file), this.#workshop);
    if (!recall().has(key)) {
      const { found, failures } = this.#run(file, titles);
      const list = failures.map(({ title, message }) => `${title}: ${message}`);
      if (found !== titles.length) list.push(`${found} of ${titles.length} tests are there`);
      this.#controlled.set(file, list.length === 0 ? undefined : `without it: ${list.join("; ")}`);
      if (list.length === 0) remember(key);
    }
    return this.#controlled.get(file);
  }

  #run(file: string, titles: readonly string[], invariant?: number): Outcome {
    const { stdout, stderr } = spawnSync(process.execPath, [NAMED_TEST, file, ...titles], {
      cwd: this.#workshop,
      encoding: "utf8",
      timeout: LIMIT_MS,
      env: { ...process.env, UNHURRIED: "1", ...(invariant === undefined ? {} : { INVARIANT: String(invariant) }) },
    });
    const line = stdout.split("\n").find((one) => one.startsWith("RESULT "));
    if (line === undefined) throw new Error(`its test did not end: ${stderr.slice(-600)}`);
    return Outcome.parse(JSON.parse(line.slice("RESULT ".length)));
  }

  close(): void {
    rmSync(this.#workshop, { recursive: true });
  }
}

function survives({ found, failures }: Outcome): string | undefined {
  if (found !== 1) return `${found} tests have that name`;
  const [failure] = failures;
  if (failure === undefined) return "its test passes";
  return failure.hook ? `a hook failed: ${failure.message}` : undefined;
}

/** Files that decide: a test, or all of the walks. */
const judgesOf = (test: string): string[] => (test.startsWith("test/invariants/") ? filesIn("test/invariants/**/*.ts") : [test]);

/** A question, the contracts, and who answers. */
function fingerprint(question: string, judges: readonly string[], folder = root): string {
  const hash = createHash("sha256").update(question);
  for (const file of [...filesIn("contracts/**/*.sol", folder), ...filesIn("test/support/**/*.ts", folder), ...judges])
    hash.update(readFileSync(join(folder, file)));
  return hash.digest("hex");
}

const recall = (): Set<string> => new Set(existsSync(MEMORY) ? z.array(z.string()).parse(JSON.parse(readFileSync(MEMORY, "utf8"))) : []);

/** Beside what another run remembered meanwhile. */
function remember(key: string): void {
  mkdirSync(dirname(MEMORY), { recursive: true });
  writeFileSync(MEMORY, JSON.stringify([...recall().add(key)]));
}

function main(words: readonly string[]): number {
  compile();
  const chosen = MUTANTS.filter((mutant) => words.length === 0 || words.some((word) => JSON.stringify(mutant).includes(word)));
  const killed = recall();
  const alive: string[] = [];
  // Of what is copied, whatever is edited while this runs.
  const plan = chosen.map((mutant) => ({
    mutant,
    key: fingerprint(JSON.stringify(mutant), judgesOf(mutant.killedBy.file)),
  }));
  let bench: Bench | undefined;
  for (const { mutant, key } of plan) {
    const name = `${mutant.file}: ${mutant.find.trim().split("\n").at(-1)?.trim()} → ${mutant.replace.trim().split("\n").at(-1)?.trim() || "nothing"}`;
    if (!killed.has(key)) {
      bench ??= new Bench();
      const reason = bench.kill(mutant);
      if (reason !== undefined) {
        alive.push(`${name}\n    ${reason}`);
        console.log(`ALIVE  ${name}: ${reason}`);
        continue;
      }
      remember(key);
    }
    console.log(`killed ${name}`);
  }
  bench?.close();
  console.log(`\n${chosen.length - alive.length} killed, ${alive.length} alive`);
  return alive.length === 0 && chosen.length > 0 ? 0 : 1;
}

process.exitCode = main(process.argv.slice(2));
