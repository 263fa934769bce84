/**
 * A named point between two effects, at which a test can kill the process (decision 49). The names are listed in `protocol/`; code that
 * crosses a boundary receives this callback.
 */
export type Boundary<Name extends string = string> = (name: Name) => Promise<void>;

/** Production: crossing a boundary does nothing. */
export const noBoundary: Boundary = async () => {};
