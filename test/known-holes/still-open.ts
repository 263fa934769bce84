import { AssertionError } from "chai";

/**
 * An attack that is known and succeeds today. Its test says what ought to hold; as long as that does not hold, this passes. Whoever closes the
 * hole sees it fail, and makes it a row of `test/attacks`. `SECURITY.md` lists them.
 */
export function stillOpen(title: string, play: () => Promise<void>): void {
  it(title, async () => {
    let broken: unknown;
    try {
      await play();
    } catch (error) {
      if (!(error instanceof AssertionError)) throw error;
      broken = error;
    }
    if (broken === undefined) throw new Error("the hole is closed: move its test to test/attacks, with the guard and a mutant");
  });
}
