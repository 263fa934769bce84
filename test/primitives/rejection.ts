/** What a promise was rejected with; fails the test when it was not, or not with an Error. */
export async function rejection(promise: Promise<unknown>): Promise<Error> {
  let value: unknown;
  try {
    value = await promise;
  } catch (error) {
    if (error instanceof Error) return error;
    throw new TypeError(`rejected with ${String(error)}, not with an Error`);
  }
  throw new Error(`expected a rejection, got ${String(value)}`);
}
