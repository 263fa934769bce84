import { z } from "zod";
import { messageOf } from "../../primitives/errors.ts";
import { plain } from "../../primitives/values.ts";
import type { AuditFinding } from "../../protocol/audit-report.ts";
import { Withheld } from "../../records/errors.ts";
import { BUNDLE_FILES } from "../bundle/bundle-layout.ts";
import type { AuditContext, ChainContext } from "./context.ts";

/** One kind of thing that an audit verifies. */
export interface Check {
  /** `BALLOTS`. */
  readonly name: string;
  /** In words, for people. */
  readonly what: string;
  /** File that a failure without a better place is about. */
  readonly file: string;
  /** `bundle`: said once, about the mission that the bundle is of. Default: verified for every mission of its tree. */
  readonly scope?: "bundle";
  readonly run: (context: AuditContext, seen: Inspection) => void | Promise<void>;
}

/** A check that rests on the chain and on the documents it names: it can be made of a living city too. */
export interface ChainCheck extends Check {
  readonly run: (context: ChainContext, seen: Inspection) => void | Promise<void>;
}

/** Collects what one check verified and what did not hold. */
export class Inspection {
  readonly #check: Pick<Check, "name" | "file">;
  readonly #findings: AuditFinding[] = [];
  readonly #withheld = new Set<string>();
  #verified = 0;

  constructor(check: Pick<Check, "name" | "file">) {
    this.#check = check;
  }

  /** Records one check; `problem` says what is wrong if it fails. */
  holds(isSo: boolean, subject: string, problem: string, file: string = this.#check.file): boolean {
    this.#verified += 1;
    if (!isSo) this.#findings.push({ check: this.#check.name, file, subject, problem });
    return isSo;
  }

  /** Two accounts of the same thing: what the bundle's file says, and what it has to be. */
  same(found: unknown, expected: unknown, subject: string, file?: string): boolean {
    const [have, want] = [plain(found), plain(expected)];
    return this.holds(have === want, subject, `is ${brief(have)}, but has to be ${brief(want)}`, file);
  }

  /**
   * Runs a part of a check that may throw on malformed data; then the part is a finding and the check continues. A part that needs what is
   * withheld neither holds nor fails.
   */
  async part(subject: string, work: () => void | Promise<void>, file?: string): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (error instanceof Withheld) this.#withheld.add(error.file);
      else this.holds(false, subject, problemOf(error), file);
    }
  }

  result(): { readonly verified: number; readonly withheld?: number; readonly findings: AuditFinding[] } {
    return { verified: this.#verified, ...notNothing(this.#withheld.size), findings: [...this.#findings] };
  }
}

/** Files that were withheld, said where there are any. */
function notNothing(withheld: number): { readonly withheld?: number } {
  return withheld === 0 ? {} : { withheld };
}

/** A record of another shape than its kind's: what is wrong, and where in it. */
function problemOf(error: unknown): string {
  return error instanceof z.ZodError ? z.prettifyError(error).replaceAll(/\s+/g, " ") : messageOf(error);
}

/** Runs one check on every mission that it is about; whatever it stumbles over is a finding, never the end of the audit. */
export async function inspect(check: Check, [root, ...below]: readonly AuditContext[]): Promise<ReturnType<Inspection["result"]>> {
  let [verified, withheld] = [0, 0];
  const findings: AuditFinding[] = [];
  for (const context of root === undefined ? [] : [root, ...(check.scope === "bundle" ? [] : below)]) {
    const seen = new Inspection(check);
    await seen.part("this check", () => check.run(context, seen));
    const found = seen.result();
    verified += found.verified;
    withheld += found.withheld ?? 0;
    findings.push(...found.findings.map((finding) => placed(finding, context)));
  }
  return { verified, ...notNothing(withheld), findings };
}

/** Names the mission below that a finding is about; the bundle keeps that mission's data in blocks. */
function placed(finding: AuditFinding, { path, documentFile }: AuditContext): AuditFinding {
  if (path === "") return finding;
  const file = finding.file === BUNDLE_FILES.document ? documentFile : finding.file;
  return { ...finding, file, subject: `${path}: ${finding.subject}` };
}

const LONGEST = 200;

function brief(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
