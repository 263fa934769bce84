/** Questions for z3 about what `symbolic.ts` made of a function. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { init, killThreads } from "z3-solver";
import { root } from "../../scripts/dev/files.ts";
import { parseSources, type Source } from "../../scripts/dev/solidity-ast.ts";
import type { Ending, Run, Value } from "./symbolic.ts";

/** The trees of a file of the contracts and of what it imports. */
export function contract(path: string): readonly Source[] {
  return parseSources(new Map([[path, readFileSync(join(root, path), "utf8")]]));
}

/** The same with a fault put in, to see that a proof finds it. */
export function contractWith(path: string, right: string, wrong: string): readonly Source[] {
  const source = readFileSync(join(root, path), "utf8");
  if (source.split(right).length !== 2) throw new Error(`${path} does not have this once: ${right}`);
  return parseSources(new Map([[path, source.replace(right, wrong)]]));
}

export interface Prover {
  /** Arguments for which the formula does not hold, as z3 writes them; undefined when it holds for all. Throws when z3 does not know. */
  counterexample(run: Run, formula: string): Promise<string | undefined>;
  close(): Promise<void>;
}

/** Steps of z3's own count, so that a slow machine answers alike: about a minute of a fast one. */
const STEPS = 100_000_000;

/**
 * z3's memory is shared with the thread that decides, and z3 may not be called meanwhile. The package frees what JavaScript forgot
 * whenever garbage is collected, also meanwhile, which corrupts that memory: so all is released here, and nothing left to forget.
 */
export async function startProver(): Promise<Prover> {
  const { Context, em } = await init();
  const { Solver } = Context("proofs");
  return {
    async counterexample(run, formula) {
      const solver = new Solver();
      try {
        solver.set("rlimit", STEPS);
        solver.fromString(`${run.preamble}\n(assert (not ${formula}))`);
        const answer = await solver.check();
        if (answer === "unknown") throw new Error(`z3 does not know within ${STEPS} steps: ${formula.slice(0, 200)}`);
        if (answer === "unsat") return undefined;
        const model = solver.model();
        const text = model.toString();
        model.release();
        return text;
      } finally {
        solver.release();
      }
    },
    close: () => killThreads(em),
  };
}

export const all = (...formulas: readonly string[]) => `(and true ${formulas.join(" ")})`;
export const implies = (condition: string, formula: string) => `(=> ${condition} ${formula})`;

/** The one value that is returned; throws when a function may end in several ways, or returns several. */
export function returned(endings: readonly Ending[]): { readonly when: string; readonly value: Value } {
  const [only, ...others] = endings.filter(({ error }) => error === undefined);
  const value = only?.values[0];
  if (only === undefined || value === undefined || others.length > 0) throw new Error(`${1 + others.length} ways to return`);
  return { when: only.when, value };
}

/** The formula that holds of each value that may be returned. */
export function onReturn(endings: readonly Ending[], formula: (value: Value) => string): string {
  return all(
    ...endings.flatMap(({ when, values: [value], error }) =>
      error === undefined && value !== undefined ? [implies(when, formula(value))] : [],
    ),
  );
}

/** It never ends with an error: a formula for each that it has. */
export function neverReverts(endings: readonly Ending[]): readonly string[] {
  return endings.flatMap(({ when, error }) => (error === undefined ? [] : [`(not ${when})`]));
}

/** It never reverts, and returns this value. */
export const returnsOnly = (endings: readonly Ending[], value: Value) =>
  all(
    ...neverReverts(endings),
    onReturn(endings, (it) => same(it, value)),
  );

/** Two values that are the same in every part. */
export function same(a: Value, b: Value): string {
  if (a.kind === "composite" && b.kind === "composite") {
    return all(...[...a.items].map(([key, item]) => same(item, part(b, key))));
  }
  if (a.kind === "composite" || b.kind === "composite") return "false";
  return `(= ${a.smt} ${b.smt})`;
}

export function part(of: Value, key: string | number): Value {
  const found = of.kind === "composite" ? of.items.get(`${key}`) : undefined;
  if (found === undefined) throw new Error(`there is no ${key}`);
  return found;
}

/** The formula of a number or a truth value. */
export function smt(of: Value, key?: string | number): string {
  const value = key === undefined ? of : part(of, key);
  if (value.kind === "composite") throw new Error("a struct is no formula");
  return value.smt;
}
