import { sha256, sha256Bytes } from "../primitives/hash.ts";
import { type Hash, hexToBytes } from "../primitives/hex.ts";
import { canonicalBytes } from "../primitives/json.ts";
import type { Agreement } from "./schema.ts";

/** One in five evaluations is a canary, one in twenty for evaluators that pass nearly all. */
export function canaryRate(passRate: number | undefined): number {
  return passRate !== undefined && passRate > 0.95 ? 20 : 5;
}

/**
 * Whether an evaluation is a canary: a task with a known answer. Drawn with a key that its holder publishes later, so that no one can
 * predict it and everyone can verify it afterwards.
 */
export function isCanary(key: string, subject: string, delivery: number, rate: number): boolean {
  return BigInt(sha256(canonicalBytes(["asa/1 canary", key, subject, delivery]))) % BigInt(rate) === 0n;
}

/** Maximum distance from the known score for a pass, points. */
const TOLERANCE = 10;

export function passesCanary(known: number, scored: number): boolean {
  return Math.abs(known - scored) <= TOLERANCE;
}

/** Whether the terms require that the evaluator is tested. */
export function asksForCanaries({ verification }: Pick<Agreement, "verification">): boolean {
  return verification.canary_tasks?.enabled === true;
}

/** Work whose score is easy to compute. */
export interface CanaryTask {
  readonly description: string;
  readonly content: string;
  /** Correct scores of the description's dimensions, points. */
  readonly known: number;
}

const LINES = 20;

/** Products of which none, a quarter, half, three quarters or all are right, so that a constant answer is mostly wrong. */
export function canaryTask(seed: Hash): CanaryTask {
  const byte = (name: string, line: number) => sha256Bytes(Buffer.concat([hexToBytes(seed), canonicalBytes([name, line])]));
  const products = Array.from({ length: LINES }, (_, line) => {
    const [high = 0, low = 0, by = 0, off = 0, place = 0] = byte("product", line);
    return { first: 100 + ((high * 256 + low) % 900), second: 10 + (by % 90), off: 1 + (off % 9), place };
  });
  const right = ((byte("right", 0)[0] ?? 0) % 5) * (LINES / 4);
  const isRight = new Set(products.toSorted((one, other) => one.place - other.place).slice(0, right));
  const lines = products.map((each) => {
    const { first, second, off } = each;
    return `${first} * ${second} = ${first * second + (isRight.has(each) ? 0 : off)}`;
  });
  const asked = products.map(({ first, second }) => `${first} * ${second}`).join(", ");
  const description = `Work out ${LINES} products, one line each as in "2 * 3 = 6". Accuracy is the percentage of lines that are right. ${asked}`;
  return { description, content: `${lines.join("\n")}\n`, known: (100 * right) / LINES };
}
