/** Whether the winning law is the Speaker's own draft: twin of `SessionLedger.drafterOf`. Candidate numbers; 0 is none, and no law. */
export function isOfficeLaw({ drafted, winner }: { readonly drafted: number; readonly winner: number }): boolean {
  return drafted !== 0 && drafted === winner;
}
