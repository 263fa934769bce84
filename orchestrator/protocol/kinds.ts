/** Kinds of registered participants, numbered as `enum Kind` (contracts/types/Roles.sol). */
export const KINDS = { NONE: 0, PRODUCER: 1, CLERK: 2, ADJUDICATOR: 3, VERIFIER: 4 } as const;
