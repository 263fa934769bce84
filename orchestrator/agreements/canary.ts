import { sha256 } from "../primitives/hash.ts";
import { canonicalBytes } from "../primitives/json.ts";

/** One in five deliveries is a canary, one in twenty of who passes nearly all. */
export function canaryRate(passRate: number | undefined): number {
  return passRate !== undefined && passRate > 0.95 ? 20 : 5;
}

/**
 * Whether an evaluation is a canary: a task whose answer is known. Drawn by a key that its holder publishes later, so nobody can tell
 * before and everybody can check after.
 */
export function isCanary(key: string, subject: string, delivery: number, rate: number): boolean {
  return BigInt(sha256(canonicalBytes(["asa/1 canary", key, subject, delivery]))) % BigInt(rate) === 0n;
}

/** A canary is passed by coming within this many points of the known score. */
const TOLERANCE = 10;

export function passesCanary(known: number, scored: number): boolean {
  return Math.abs(known - scored) <= TOLERANCE;
}
