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

/** What a call threw; fails the test when it did not, or not an Error. */
export function thrown(call: () => unknown): Error {
  let value: unknown;
  try {
    value = call();
  } catch (error) {
    if (error instanceof Error) return error;
    throw new TypeError(`threw ${String(error)}, not an Error`);
  }
  throw new Error(`expected an error, got ${String(value)}`);
}
