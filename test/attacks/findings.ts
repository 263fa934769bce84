import type { GameRule } from "../modelcheck/machines/game.ts";
import { REFUTING_RULES, type RefutingRule } from "../modelcheck/machines/refuting.ts";

/**
 * What a review of the first edition found: which guard was missing, the rule that was made of it, and by which attacks it is tried. Each attack
 * has its mutant; what no contract decides names its test instead. Listed in docs/attacks.md.
 */
export interface Finding {
  /** H, M, L: how bad it was. */
  readonly id: string;
  /** What went wrong. */
  readonly finding: string;
  /** Entries of docs/decisions.md. */
  readonly decisions: readonly number[];
  /** What holds now. */
  readonly rule: string;
  /** Ids in the list of attacks. */
  readonly attacks: readonly string[];
  /** Other tests of it. */
  readonly tests?: readonly { readonly file: string; readonly title: string }[];
  /** Rules of `npm run modelcheck` without which the checker finds it by itself (`GAME_RULES`, `REFUTING_RULES`). */
  readonly players?: readonly (GameRule | RefutingRule)[];
  /** What the rule leaves open. */
  readonly left?: string;
}

export const FINDINGS: readonly Finding[] = [
  {
    id: "H1",
    finding: "after the panel's time whoever hands in chooses which majority is heard",
    decisions: [55],
    rule: "a side needs more than half of the drawn weight; a posted verdict cannot be left out",
    attacks: ["C8", "C24", "C25", "C31", "C32", "C52", "C53", "C54"],
    players: ["a side needs more than half of all that were drawn", "who posted was there", "what was posted is not left out"],
  },
  {
    id: "H2",
    finding: "who commits no evidence cannot be condemned",
    decisions: [57],
    rule: "a slot that shows nothing at the floor is late, whoever wins",
    attacks: ["C37", "C38", "C57", "C58", "C59", "C60", "C61", "C72", "C76"],
    players: ["work that shows nothing costs what being late costs", ...REFUTING_RULES],
    left: "it costs 50 tokens, and the stake only where two principals have issuers who make work again, and both refute it",
  },
  {
    id: "H3",
    finding: "an executor freezes itself before its verdict",
    decisions: [58],
    rule: "an executor reports on itself until it has committed; after a freeze the same panel hears on",
    attacks: ["G12", "G22", "G23", "G46", "G47", "G49"],
    players: ["nobody stops a verdict on itself", "a freeze ends where it began", "a verdict is held up once"],
  },
  {
    id: "H4",
    finding: "a successor's attempt takes the appeal of who was condemned before",
    decisions: [59],
    rule: "an appeal names an attempt, whatever came after it",
    attacks: ["G24"],
    players: ["an appeal names its attempt"],
  },
  {
    id: "H5",
    finding: "one slot's evidence pays all slots",
    decisions: [60],
    rule: "one executor unless the tier is consensus; a paid slot has its own proven item",
    attacks: ["C23", "L22"],
    players: ["a slot is paid for an item of its own"],
  },
  {
    id: "H6",
    finding: "the owner of the mandated compiler ends legislation",
    decisions: [61],
    rule: "a mandate outlives what a service's owner does, and two adjudicators set another",
    attacks: ["O14"],
  },
  {
    id: "M1",
    finding: "one principal's agents fill a market, or leave it in the last seconds",
    decisions: [62],
    rule: "one bid of a principal on a node, which binds; sixteen are kept",
    attacks: ["C2", "F13", "F15", "L21"],
  },
  {
    id: "M2",
    finding: "there is no time to leave before another procedure takes office",
    decisions: [63],
    rule: "an amendment waits a week longer than it takes to leave, and that time stays as it is meanwhile",
    attacks: ["K23", "K24"],
  },
  {
    id: "M3",
    finding: "verifiers without stake, or banned, decide and lose nothing",
    decisions: [64],
    rule: "without stake no weight",
    attacks: ["C26"],
    players: ["who left has no say"],
  },
  {
    id: "M4",
    finding: "a token that blocks the treasury blocks every claim",
    decisions: [65],
    rule: "claims are credits; what the treasury cannot take waits for it",
    attacks: ["T8", "T9", "T10", "T12", "T13", "T15", "T16"],
  },
  {
    id: "M5",
    finding: "lifting a stop of 256 nodes does not fit a transaction",
    decisions: [69],
    rule: "every call at its largest fits a transaction",
    attacks: ["G26"],
  },
  {
    id: "M6",
    finding: "where blocks are fast a panel is drawn again for nothing",
    decisions: [58],
    rule: "a panel whose seed is gone was one of the attempt's two; anybody keeps a seed",
    attacks: ["F16", "F19", "G48"],
  },
  {
    id: "M7",
    finding: "at the deadline a redraw races the majority's clearing, and silence is free",
    decisions: [55],
    rule: "a majority clears in the last fifth of the panel's time; who posted nothing is charged at the redraw",
    attacks: ["F7", "F8", "C56", "C62"],
    players: ["a silent panel fails nobody"],
  },
  {
    id: "M8",
    finding: "anybody adopts a session with one unit",
    decisions: [67],
    rule: "who adopts brings the law that won and pays its budget",
    attacks: ["L32", "L33"],
  },
  {
    id: "M9",
    finding: "one member's confidence or score moves the whole panel's",
    decisions: [56],
    rule: "scores are medians; who is unsure abstains",
    attacks: ["C35", "C36"],
  },
  {
    id: "M10",
    finding: "one adjudicator strikes a voter off",
    decisions: [68],
    rule: "two signatures, 100 points an order, 200 of a principal in 30 days; none reaches an open session",
    attacks: ["C27", "C28", "C29", "G65"],
    left: "bans and freezes of two adjudicators reach an open session, however many",
  },
  {
    id: "M11",
    finding: "parameters have ranges and no relations",
    decisions: [66],
    rule: "one table of relations, at founding and at each change",
    attacks: ["K15", "L24", "L25"],
  },
  {
    id: "M12",
    finding: "three sessions side by side strike everybody off",
    decisions: [67],
    rule: "tallies that count follow one another and reached quorum; a lapse is for later sessions",
    attacks: ["G10", "G27", "G28", "G29"],
  },
  {
    id: "M13",
    finding: "one principal is a panel's majority, or judges what it attested",
    decisions: [64],
    rule: "principals sit twice only when no other is left; nobody both issues and verifies",
    attacks: ["C50", "C51"],
    left: "a HIGH node on whose panel one sits twice is not reviewed for that",
  },
  {
    id: "M14",
    finding: "a panel changes after it was drawn",
    decisions: [64],
    rule: "a panel is of the roster in force when it was drawn",
    attacks: ["C48", "C49"],
  },
  {
    id: "L1",
    finding: "four freezes of itself stop a whole mission",
    decisions: [58],
    rule: "what an executor says of itself stops its node and counts against nobody else",
    attacks: ["G13", "G30"],
  },
  {
    id: "L2",
    finding: "the suspect seals its own snapshot",
    decisions: [70],
    rule: "a monitor of no party seals",
    attacks: ["G31", "G32"],
  },
  {
    id: "L3",
    finding: "an executor's own runner anchors a false record for good",
    decisions: [70],
    rule: "an anchor is of work that began, by a runner of no party",
    attacks: ["F17", "F18"],
  },
  {
    id: "L4",
    finding: "who was frozen votes beyond the electorate",
    decisions: [68],
    rule: "a principal released from a freeze counts for later sessions",
    attacks: ["L23"],
  },
  {
    id: "L5",
    finding: "a bidder takes its best bid back when it has read the others",
    decisions: [62],
    rule: "a bid binds and is only improved; late improvements give the others a minute",
    attacks: ["F13", "F14", "F20"],
  },
  {
    id: "L6",
    finding: "a frozen node holds up all later awards",
    decisions: [62],
    rule: "awards pass over what cannot be awarded",
    attacks: ["G25"],
  },
  {
    id: "L7",
    finding: "a quorum nobody can fill lets the senior act alone",
    decisions: [71],
    rule: "a quorum is not raised above the seats",
    attacks: ["C30", "C40"],
  },
  {
    id: "L8",
    finding: "freezes of nothing hide from the watchdog that somebody approves everything",
    decisions: [71],
    rule: "a stop is no decision that the watchdog counts",
    attacks: ["C34"],
  },
  {
    id: "L9",
    finding: "a monitor claims a silence that never was",
    decisions: [70],
    rule: "whoever pulsed since refutes it, and a city at work pulses",
    attacks: ["G8", "G35"],
    tests: [
      { file: "test/scenarios/left-out.test.ts", title: "are left out of electorate and market, and named; a refused bid stops nobody" },
    ],
    left: "while nobody pulses a monitor is believed",
  },
  {
    id: "L10",
    finding: "a market that was replaced reaches every stake for ever",
    decisions: [63],
    rule: "it reaches the locks it made",
    attacks: ["K25"],
  },
  {
    id: "L11",
    finding: "two agents bear one DID",
    decisions: [71],
    rule: "a name has one bearer, and an account's name is that account's",
    attacks: ["S15", "S16"],
  },
  {
    id: "L12",
    finding: "one resignation halts every enactment",
    decisions: [71],
    rule: "a founding file fills two seats more than the quorum",
    attacks: [],
    tests: [{ file: "test/deploy/founding-file.test.ts", title: "is refused with every reason at once" }],
    left: "the demonstration has its quorum of seven and no more",
  },
  {
    id: "L13",
    finding: "many disbursements empty the treasury",
    decisions: [71],
    rule: "payments for governance are a fifth of what came in during 30 days",
    attacks: ["C19", "C33"],
  },
];
