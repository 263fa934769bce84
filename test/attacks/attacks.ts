/**
 * Attacks on the city, each on ONE guard, with the edit that removes just that guard: the test of that title, which passes as it is, must then
 * fail, because the attack succeeds. The edits run with all others (`npm run mutants -- test/attacks`). Listed in docs/attacks.md.
 */
import type { Attack } from "./attack.ts";
import { AGREEMENTS } from "./list/agreements.ts";
import { CLERKS } from "./list/clerks.ts";
import { COLLUSION } from "./list/collusion.ts";
import { FRONT_RUNNING } from "./list/front-running.ts";
import { GRIEFING } from "./list/griefing.ts";
import { LAW } from "./list/law.ts";
import { PREDICATES } from "./list/predicates.ts";
import { REENTRANCY } from "./list/reentrancy.ts";
import { REPLAY } from "./list/replay.ts";
import { SIGNATURES } from "./list/signatures.ts";
import { STAKES } from "./list/stakes.ts";
import { TOKENS } from "./list/tokens.ts";

export const ATTACKS: readonly Attack[] = [
  ...REPLAY,
  ...SIGNATURES,
  ...FRONT_RUNNING,
  ...PREDICATES,
  ...REENTRANCY,
  ...GRIEFING,
  ...STAKES,
  ...TOKENS,
  ...COLLUSION,
  ...CLERKS,
  ...LAW,
  ...AGREEMENTS,
];
