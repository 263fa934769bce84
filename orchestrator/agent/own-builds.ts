import { keccak256 } from "viem";
import { ArtifactMissing, type Profile, type Runtime, readArtifact } from "../../deploy/artifacts.ts";
import { missionTemplate, sources } from "../../deploy/genesis.ts";
import type { Hash } from "../primitives/hex.ts";

/** Runtime code of every contract of a city and every library it calls, by source below `contracts/`, for one compiler profile. */
export interface OwnBuild {
  readonly profile: Profile;
  readonly code: Readonly<Record<string, OwnCode>>;
}

interface OwnCode {
  /** Keccak-256 of the code with its holes zeroed. */
  readonly hash: Hash;
  /** Length of the code, bytes. */
  readonly length: number;
  /** Positions filled in at deployment: immutables, library addresses and a library's own address. */
  readonly holes: Runtime["holes"];
  readonly libraries: readonly { readonly source: string; readonly starts: readonly number[] }[];
}

/**
 * This version's contract code for each profile compiled here; the published package includes it. Throws ArtifactMissing if nothing was
 * compiled.
 */
export function ownBuilds(): readonly OwnBuild[] {
  return (["default", "production"] as const).flatMap((profile) => {
    try {
      return [buildOf(profile)];
    } catch (error) {
      if (profile === "production" && error instanceof ArtifactMissing) return [];
      throw error;
    }
  });
}

function buildOf(profile: Profile): OwnBuild {
  const code: Record<string, OwnCode> = {};
  const add = (source: string): void => {
    if (code[source] !== undefined) return;
    const { code: emptied, holes, libraries } = readArtifact(source, profile).runtime;
    code[source] = {
      hash: keccak256(emptied),
      length: emptied.length / 2 - 1,
      holes,
      libraries: libraries.map(({ source: library, starts }) => ({ source: library, starts })),
    };
    for (const library of libraries) add(library.source);
  };
  for (const [contract, source] of Object.entries(sources)) if (contract !== "CityToken") add(source);
  add(missionTemplate.source);
  return { profile, code };
}
