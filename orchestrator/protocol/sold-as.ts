import type { Hash } from "../primitives/hex.ts";

/** Maximum length of a catalogue name. */
const LONGEST_NAME = 64;

/**
 * Display name of a registered service: its endpoint if it is of this catalogue, otherwise its id, since endpoints of other owners are
 * arbitrary.
 */
export function soldAs({ service, endpoint }: { readonly service: Hash; readonly endpoint: string }): string {
  const [, name = ""] = /^city:([a-z0-9]+(?:-[a-z0-9]+)*)$/.exec(endpoint) ?? [];
  return name !== "" && name.length <= LONGEST_NAME ? name : service;
}
