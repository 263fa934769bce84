/**
 * Tries what an attacker tries. A refusal, of whatever kind, is an answer and decides nothing: what the attacker gained or the victim lost is
 * read afterwards, so that the test fails only where the attack succeeds.
 */
export async function attempt(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!/revert|ran out of gas|out of gas/.test(String(error))) throw error;
  }
}
