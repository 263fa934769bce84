import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { z } from "zod";
import { BUNDLE_FILES, blockFile } from "../city/bundle/bundle-layout.ts";
import { BundleContents } from "../city/bundle/withheld.ts";
import { isOver, missionState } from "../execution/chain-view.ts";
import { contentIdFromDigest } from "../primitives/hash.ts";
import { type Address, hashSchema } from "../primitives/hex.ts";
import { keepNewest } from "../primitives/recent.ts";
import { mayRead } from "../protocol/read-access.ts";
import type { Visibility } from "../protocol/visibility.ts";
import { MANIFEST, manifestText, parseManifest, withoutFiles } from "../records/bundle-manifest.ts";
import { parseLog } from "../records/log.ts";
import type { FrontWorld } from "./command.ts";
import { payloadsOf } from "./payloads.ts";

/** A copy of a bundle for one reader: its files in order, each with a function that reads it. */
export interface BundleCopy {
  readonly paths: readonly string[];
  bytes(path: string): Uint8Array;
}

/** Number of bundles whose contents are cached, least recently used first out. */
const MOST = 8;

/** Copies of finished missions' bundles, limited to what each reader may read. */
export class BundleExports {
  readonly #contents = new Map<string, Promise<BundleContents>>();
  readonly #ended = new Map<Address, Terms>();

  /** `reader`: the caller's key; without one, the public copy. */
  async copyOf(world: FrontWorld, folder: string, mission: Address, reader: Address | undefined): Promise<BundleCopy> {
    const manifest = parseManifest(new Uint8Array(readFileSync(join(folder, MANIFEST))));
    const contents = await this.#contentsOf(world, folder, mission, manifest.digest);
    const terms = new Map(await Promise.all(contents.missions.map(async (each) => [each, await this.#termsOf(world, each)] as const)));
    const withheld = contents.withheldFrom((of, about) => {
      const known = about === undefined ? undefined : terms.get(about);
      // Records that are about no mission are public.
      if (known === undefined) return true;
      const { visibility, sponsor, isEnded } = known;
      return mayRead(of, visibility, { isOver: isEnded, isRevealed: false }, reader === sponsor ? ["sponsor"] : []);
    });
    const own = withoutFiles(manifest, withheld);
    const text = new TextEncoder().encode(manifestText(own));
    return {
      paths: [MANIFEST, ...own.files.map(({ path }) => path)].sort(),
      bytes: (path) => (path === MANIFEST ? text : new Uint8Array(readFileSync(join(folder, path)))),
    };
  }

  #contentsOf(world: FrontWorld, folder: string, mission: Address, digest: string): Promise<BundleContents> {
    const asked = this.#contents.get(digest) ?? read(world, folder, mission);
    keepNewest(this.#contents, digest, asked, MOST);
    asked.catch(() => this.#contents.delete(digest));
    return asked;
  }

  async #termsOf(world: FrontWorld, mission: Address): Promise<Terms> {
    const known = this.#ended.get(mission);
    if (known !== undefined) return known;
    const [visibility, state, { sponsor }] = await Promise.all([
      world.laws.visibilityOf(mission),
      missionState(world, { address: mission }),
      world.client.mission(mission).context(),
    ]);
    const terms = { visibility, sponsor, isEnded: isOver(state) };
    if (terms.isEnded) this.#ended.set(mission, terms);
    return terms;
  }
}

/** Facts that determine access to a mission's work; constant once it has ended. */
interface Terms {
  readonly visibility: Visibility;
  readonly sponsor: Address;
  readonly isEnded: boolean;
}

const appealedSchema = z.object({ evidence: hashSchema });

async function read(world: FrontWorld, folder: string, mission: Address): Promise<BundleContents> {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .filter((path) => path !== MANIFEST);
  const there = new Set(paths);
  const appeals = await payloadsOf(world, { name: "CollaborationContract.AppealFiled" }, appealedSchema);
  return new BundleContents(mission, {
    paths,
    log: parseLog(readFileSync(join(folder, BUNDLE_FILES.log), "utf8")),
    read: (id) => (there.has(blockFile(id)) ? new Uint8Array(readFileSync(join(folder, blockFile(id)))) : undefined),
    appeals: appeals.map(({ event, args }) => ({ id: contentIdFromDigest(args.evidence), mission: event.emitterContract })),
  });
}
