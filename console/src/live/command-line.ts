/** The `npm run override` command for the same order as a page, for signing in a terminal. */
import { formatMoney } from "../../../orchestrator/primitives/amounts.ts";
import { PARAMETERS } from "../../../orchestrator/protocol/parameters.ts";

export interface Ruling {
  /** From 0. */
  readonly attempt: number;
  readonly filed: number;
  /** Bit per appeal. */
  readonly upheld: number;
  /** Basis points of the price. */
  readonly share: number;
  /** Smallest units, decimal text. */
  readonly slash: string;
  /** Bit per slot. */
  readonly culprits: number;
}

export interface Asking {
  readonly case?: string;
  readonly decision?: string;
  readonly action?: string;
  readonly mission?: string;
  readonly node?: number;
  readonly target?: string;
  readonly values?: readonly unknown[];
  readonly because: string;
}

/** Quotes a word for a POSIX shell. */
function quoted(word: string): string {
  return /^[\w./:-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

const placesIn = (mask: number) => [...mask.toString(2)].reverse().flatMap((bit, place) => (bit === "1" ? [String(place)] : []));
const listed = (flag: string, places: readonly string[]) => (places.length === 0 ? [] : [flag, ...places]);

function rulingWords({ attempt, filed, upheld, share, slash, culprits }: Ruling): readonly string[] {
  return [
    ...["--attempt", String(attempt + 1), "--filed", String(filed)],
    ...listed("--uphold", placesIn(upheld)),
    ...(upheld === 0 ? [] : ["--share", String(share / 100)]),
    ...(slash === "0" ? [] : ["--slash", formatMoney(BigInt(slash)).replaceAll(",", "")]),
    ...listed("--culprits", placesIn(culprits)),
  ];
}

/** The words after `override`; undefined for an act without its own command. */
function wordsOf({ action = "", mission = "", node = 0, target = "", values = [], ...asking }: Asking): readonly string[] | undefined {
  if (asking.case !== undefined && asking.decision !== undefined) return [asking.decision, asking.case];
  const at = [mission, String(node)];
  const [first, second] = values;
  switch (action) {
    case "FREEZE":
      return ["freeze", ...at];
    case "UNFREEZE":
      return ["unfreeze", ...at];
    case "VETO_OUTPUT":
      return ["veto", ...at];
    case "TERMINATE_MISSION":
      return ["terminate", mission];
    case "EMERGENCY_STOP":
      return ["stop", mission];
    case "CLEAR_EMERGENCY_STOP":
      return ["clear-stop", mission];
    case "STOP_CITY":
      return ["stop-city"];
    case "RESUME_CITY":
      return ["resume-city"];
    case "RELEASE_WATCHDOG":
      return ["release-watchdog"];
    case "CLASSIFY_FALSE_POSITIVE":
      return ["false-positive", mission, target, String(first)];
    case "RESOLVE_APPEAL":
      return ["resolve", ...at, ...rulingWords(first as Ruling)];
    case "AMEND_PARAMETER":
      return ["amend", PARAMETERS[Number(first)]?.name ?? String(first), String(second)];
    case "ADJUST_REPUTATION":
      return ["adjust-reputation", target, String(first)];
    case "SLASH":
      return ["slash", target, formatMoney(BigInt(String(first))).replaceAll(",", ""), ...(second === true ? ["--ban"] : [])];
    case "FREEZE_AGENT":
      return ["freeze-agent", target, ...(first === true ? [] : ["--lift"])];
    case "FREEZE_PRINCIPAL":
      return ["sanction", target, ...(first === true ? [] : ["--lift"])];
    case "IMPEACH":
      return ["impeach", target];
    case "AUDIT_UNILATERAL":
      return ["audit-unilateral", target, String(first)];
    default:
      return undefined;
  }
}

/** `npm run override -- freeze 0x… 0 --because '…'` */
export function overrideCommand(asking: Asking): string | undefined {
  const words = wordsOf(asking);
  return words === undefined ? undefined : ["npm run override --", ...words.map(quoted), "--because", quoted(asking.because)].join(" ");
}
