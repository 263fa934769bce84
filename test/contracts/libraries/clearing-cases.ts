import { bytesToHex } from "../../../orchestrator/primitives/hex.ts";
import type { RandomStream } from "../../../orchestrator/primitives/random.ts";
import type { EvidenceClass } from "../../../orchestrator/rules/admissibility.ts";
import {
  type ClearingTerms,
  type Question,
  survives,
  type VerdictResult,
  type WeighedVerdict,
  weightOf,
} from "../../../orchestrator/rules/clearing.ts";

export interface ClearingCase extends ClearingTerms {
  readonly verdicts: readonly WeighedVerdict[];
}

/** A word of classes that is strong on most items, so that many bases survive; now and then anything. */
function classWord(random: RandomStream): bigint {
  const usual = random.pick([1, 2, 3, 4, 5]);
  let word = 0n;
  for (let item = 0; item < 32; item += 1) word |= BigInt(random.int(6) === 0 ? random.int(8) : usual) << BigInt(3 * item);
  return word;
}

function verdict(random: RandomStream, slots: number): WeighedVerdict {
  let basis = 0n;
  for (let items = random.int(4); items > 0; items -= 1) basis |= 1n << BigInt(random.int(32 * slots));
  if (random.int(40) === 0) basis |= BigInt(bytesToHex(random.bytes(20)));
  const scale = () => (random.int(50) === 0 ? random.int(65_536) : random.pick([0, 3000, 6000, 9000, 10_000]));
  return {
    question: random.int(2) as Question,
    result: random.pick([0, 1, 1, 1, 2, 2]) as VerdictResult,
    weight: random.int(10) === 0 ? random.int(65_536) : random.int(4),
    confidence: scale(),
    score: scale(),
    basis,
    agreeing: random.int(256),
  };
}

/** Small weights tie often; few classes meet the floor about half of the time. */
export function clearingCase(random: RandomStream): ClearingCase {
  const slots = 1 + random.int(5);
  const verdicts = Array.from({ length: random.int(7) }, () => verdict(random, slots));
  const terms = {
    classWords: Array.from({ length: slots }, () => classWord(random)),
    floor: random.int(6) as EvidenceClass,
    questions: random.int(4),
    minConfidence: random.pick([0, 6000, 7000, 8000]),
    slots,
    drawn: 0,
    seats: 0,
  };
  // Who abstains or does not survive was drawn, too, in every fourth case.
  const heard = random.int(4) === 0 ? verdicts : verdicts.filter((one) => survives(one, terms));
  const weights = [0, 1].map((question) => weightOf(heard.filter((one) => one.question === question)));
  return { ...terms, verdicts, drawn: Math.max(...weights) + random.pick([0, 0, 0, 1]) };
}
