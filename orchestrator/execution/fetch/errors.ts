import { AgentCityError } from "../../primitives/errors.ts";

/** A page was not fetched; `code` says why. This is a recorded fact about the page, not a fault of the city. */
export class FetchRefused extends AgentCityError {
  constructor(code: FetchProblem, url: string, details: string, cause?: unknown) {
    super(code, `${url} was not fetched`, { details, cause });
  }
}

export const FETCH_PROBLEMS = [
  /** Not http or https, or with a user name. */
  "UrlRefused",
  /** The host is not on the mission's list. */
  "HostNotListed",
  /** The name resolves to an address of this machine, its network or another special range. */
  "AddressNotPublic",
  "TooManyRedirects",
  /** Not text, or compressed although we did not ask for it. */
  "ContentRefused",
  "PageTooLarge",
  "PageTooSlow",
  "HostUnreachable",
] as const;
export type FetchProblem = (typeof FETCH_PROBLEMS)[number];
