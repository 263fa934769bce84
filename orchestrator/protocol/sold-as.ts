import type { Hash } from "../primitives/hex.ts";

/** Of a catalogue's services. */
const LONGEST_NAME = 64;

/** What a service is called that was registered so: by its endpoint here, or by its id, since elsewhere that is whatever its owner wrote. */
export function soldAs({ service, endpoint }: { readonly service: Hash; readonly endpoint: string }): string {
  const [, name = ""] = /^city:([a-z0-9]+(?:-[a-z0-9]+)*)$/.exec(endpoint) ?? [];
  return name !== "" && name.length <= LONGEST_NAME ? name : service;
}
