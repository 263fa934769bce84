import { AUDIT_BOUNDARIES, LEGISLATURE_BOUNDARIES, SENDER_BOUNDARIES } from "../../orchestrator/protocol/boundaries.ts";

/** Where a batch of ballots is on its way: signed and not sent, sent and not settled; `>` reads "and after that". */
const MID_BATCH = SENDER_BOUNDARIES.flatMap((boundary) => [
  `legislature:ballots-signed>${boundary}`,
  `legislature:mid-ballots>${boundary}`,
]);

/** Every boundary that a session of HIGH risk crosses, and the sender's inside batches of ballots and under a human's signature. */
export const KILLS: readonly string[] = [
  ...LEGISLATURE_BOUNDARIES,
  ...AUDIT_BOUNDARIES,
  ...SENDER_BOUNDARIES,
  ...MID_BATCH,
  ...SENDER_BOUNDARIES.map((boundary) => `legislature:audit-awaited>${boundary}`),
];

/** What only a session passes that producers call for. */
export const PETITION_KILLS: readonly string[] = [
  "legislature:petitioned",
  "legislature:adopted",
  ...SENDER_BOUNDARIES.map((boundary) => `legislature:petitioned>${boundary}`),
];

/** What only a session passes whose vote too few took part in. */
export const REINTRODUCTION_KILLS: readonly string[] = [
  "legislature:expired",
  "legislature:reintroduced",
  ...SENDER_BOUNDARIES.map((boundary) => `legislature:expired>${boundary}`),
];
