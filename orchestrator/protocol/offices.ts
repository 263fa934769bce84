/** The four offices, in the order of `enum Office` (contracts/types/Roles.sol). */
export const OFFICE_NAMES = ["REGISTRAR", "SPEAKER", "REGULATOR", "CODIFIER"] as const;
export type OfficeName = (typeof OFFICE_NAMES)[number];

/** Their numbers there. */
export const OFFICES = { REGISTRAR: 0, SPEAKER: 1, REGULATOR: 2, CODIFIER: 3 } as const satisfies Record<OfficeName, number>;
