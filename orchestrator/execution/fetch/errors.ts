import { AgentCityError } from "../../primitives/errors.ts";

/** A page was not fetched; `code` says why. It is a fact about the page, recorded like one, and no fault of the city. */
export class FetchRefused extends AgentCityError {
  constructor(code: FetchProblem, url: string, details: string, cause?: unknown) {
    super(code, `${url} was not fetched`, { details, cause });
  }
}

export const FETCH_PROBLEMS = [
  /** Not http or https, or with a user name in it. */
  "UrlRefused",
  /** The mission's list does not name this host. */
  "HostNotListed",
  /** The name leads to an address of this machine, its network or another special range. */
  "AddressNotPublic",
  "TooManyRedirects",
  /** Not text, or compressed against our wish. */
  "ContentRefused",
  "PageTooLarge",
  "PageTooSlow",
  "HostUnreachable",
] as const;
export type FetchProblem = (typeof FETCH_PROBLEMS)[number];
