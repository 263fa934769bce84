/** Whose eyes a mission is for. `parties`: what is worked on in it is for those who have a part in it (`read-access.ts`); hashes and verdicts are for everybody. */
export const VISIBILITIES = ["public", "parties"] as const;
export type Visibility = (typeof VISIBILITIES)[number];
