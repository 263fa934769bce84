import { AgreementRefused } from "../../orchestrator/agreements/index.ts";

const codeOf = (error: unknown): string => (error instanceof AgreementRefused ? error.refusal : String(error));

/** Why something is refused, or `accepted`. */
export function refusalOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return codeOf(error);
  }
  return "accepted";
}

export function refusalOfPromise(promise: Promise<unknown>): Promise<string> {
  return promise.then(() => "accepted", codeOf);
}
