/**
 * A named point between two effects, where a test can stop the process for good (decision 49). The list of names is data
 * in `protocol/`; whoever crosses a boundary is handed one of these.
 */
export type Boundary<Name extends string = string> = (name: Name) => Promise<void>;

/** Production: crossing a boundary does nothing. */
export const noBoundary: Boundary = async () => {};
