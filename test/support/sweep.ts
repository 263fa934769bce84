/**
 * How many of a random sweep's cases are drawn: all of them in `npm run test:long`, which also runs the files that sweep, and in
 * `npm run test:full`; `fewer`, by default a tenth, in `npm test`.
 */
export const sweep = (cases: number, fewer: number = Math.ceil(cases / 10)): number =>
  process.env["AGENTCITY_SWEEP"] === "whole" ? cases : fewer;
