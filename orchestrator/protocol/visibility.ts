/** Who may read a mission's contents. `parties`: only those with a part in it (`read-access.ts`); hashes and verdicts are public. */
export const VISIBILITIES = ["public", "parties"] as const;
export type Visibility = (typeof VISIBILITIES)[number];
