/** Twin of `contracts/libraries/Escalation.sol`: when freezes trigger an emergency stop (AgentCity B.11.3). */
import { RuleError } from "./rule-error.ts";

/** Three words, laid out as in the contract. */
export type FreezeLog = readonly [bigint, bigint, bigint];

const PLACES = 23n;
const MAX_TOTAL = 255n;
const IN_FIRST = 7n;
const PER_WORD = 8n;
const FLAGS_FROM = 8n;
const MAX_DOUBLINGS = 32n;
const TIME = (1n << 32n) - 1n;

/** T_eff = base + ⌊ρ·bonus/1000⌋ freezes trigger a stop. */
export const escalationThreshold = (base: bigint, bonus: bigint, rho: bigint): bigint => base + (rho * bonus) / 1000n;

/** W_n = base·2ⁿ seconds after n cleared stops. */
export const escalationWindow = (base: bigint, cleared: bigint): bigint => base << (cleared < MAX_DOUBLINGS ? cleared : MAX_DOUBLINGS);

export const totalFreezes = (log: FreezeLog): bigint => log[0] & MAX_TOTAL;

/** Freezes since `since` that were not ruled false positives. */
export function recentFreezes(log: FreezeLog, since: bigint): bigint {
  const total = totalFreezes(log);
  const kept = total < PLACES ? total : PLACES;
  let count = 0n;
  for (let place = 0n; place < kept; place++) if (!isDismissed(log, place) && timeAt(log, place) >= since) count++;
  return count;
}

/** Records a freeze, in place of the oldest one if all places are taken. A full total stays unchanged. */
export function addFreeze(log: FreezeLog, time: bigint): FreezeLog {
  const total = totalFreezes(log);
  if (total === MAX_TOTAL) return log;
  const place = total % PLACES;
  const { word, shift } = where(place);
  const words: [bigint, bigint, bigint] = [...log];
  words[word] = (words[word] & ~(TIME << shift)) | ((time & TIME) << shift);
  words[0] = (words[0] & ~(1n << (FLAGS_FROM + place))) + 1n;
  return words;
}

/** Removes freeze `index` from the count. */
export function dismissFreeze(log: FreezeLog, index: bigint): FreezeLog {
  const total = totalFreezes(log);
  if (index >= total || index + PLACES < total) throw new RuleError("UnknownFreeze", index, total);
  const place = index % PLACES;
  if (isDismissed(log, place)) throw new RuleError("AlreadyClassified", index);
  return [log[0] | (1n << (FLAGS_FROM + place)), log[1], log[2]];
}

const isDismissed = (log: FreezeLog, place: bigint): boolean => ((log[0] >> (FLAGS_FROM + place)) & 1n) === 1n;

function timeAt(log: FreezeLog, place: bigint): bigint {
  const { word, shift } = where(place);
  return (log[word] >> shift) & TIME;
}

function where(place: bigint): { word: 0 | 1 | 2; shift: bigint } {
  if (place < IN_FIRST) return { word: 0, shift: 32n * (place + 1n) };
  const rest = place - IN_FIRST;
  return { word: rest < PER_WORD ? 1 : 2, shift: 32n * (rest % PER_WORD) };
}
