import { addressSchema } from "../../primitives/address.ts";
import type { Address, ContentId } from "../../primitives/hex.ts";
import { objectOfRecord, type ReadObject } from "../../protocol/read-access.ts";
import type { LogEntry } from "../../records/log.ts";
import { BUNDLE_FILES, blockFile, blockIdOf, CLOSING_KIND, reachableBlocks } from "./bundle-layout.ts";

/** A block's content and its mission; a block may be several things. */
interface Holding {
  readonly of: ReadObject;
  readonly mission: Address | undefined;
}

/** Whether the recipient of a copy may read this kind of content of this mission. */
export type IsOpen = (of: ReadObject, mission: Address | undefined) => boolean;

/** Non-public files besides the blocks. */
const OWN_FILES: Readonly<Record<string, ReadObject>> = {
  [BUNDLE_FILES.mission]: "bundle",
  [BUNDLE_FILES.input]: "items",
  [BUNDLE_FILES.outcome]: "report",
  [BUNDLE_FILES.report]: "report",
};

export interface BundleToRead {
  /** Every file, without the manifest. */
  readonly paths: readonly string[];
  readonly log: readonly LogEntry[];
  readonly read: (id: ContentId) => Uint8Array | undefined;
  /** Appellants' evidence, by its on-chain id. */
  readonly appeals: readonly { readonly id: ContentId; readonly mission: Address }[];
}

/**
 * Access to a bundle's contents: analysed once, queried for every reader. A bundle contains its city's whole log, and with it the work of
 * other missions. `withheldFrom` returns the files that a reader may not have, each with its kind. A block is readable if one of its roles
 * is; content referenced only by the chain (laws, reasons of orders) is public.
 */
export class BundleContents {
  readonly missions: readonly Address[];
  readonly #mission: Address;
  readonly #paths: readonly string[];
  readonly #holdings = new Map<string, Holding[]>();

  constructor(mission: Address, { paths, log, read, appeals }: BundleToRead) {
    this.#mission = mission;
    this.#paths = paths;
    const missions = new Set([mission]);
    // Blocks reachable from one kind of record of one mission are traversed once.
    const roots = Map.groupBy(
      log.flatMap((entry) => holdingsOf(entry)),
      ({ of, below, mission: about }) => `${of} ${below} ${about ?? ""}`,
    );
    for (const group of roots.values()) {
      const [first] = group;
      if (first === undefined) continue;
      const { of, below, mission: about } = first;
      if (about !== undefined) missions.add(about);
      const ids = group.map(({ content }) => content);
      for (const id of reachableBlocks(ids, read)) this.#hold(id, { of: below, mission: about });
      for (const id of ids) this.#hold(id, { of, mission: about });
    }
    for (const { id, mission: about } of appeals) this.#hold(id, { of: "output", mission: about });
    this.missions = [...missions];
  }

  withheldFrom(isOpen: IsOpen): ReadonlyMap<string, ReadObject> {
    const withheld = new Map<string, ReadObject>();
    for (const path of this.#paths) {
      const own = OWN_FILES[path];
      if (own !== undefined && !isOpen(own, this.#mission)) withheld.set(path, own);
      const holdings = blockIdOf(path) === undefined ? undefined : this.#holdings.get(path);
      const [first] = holdings ?? [];
      if (first !== undefined && holdings?.some(({ of, mission }) => isOpen(of, mission)) !== true) withheld.set(path, first.of);
    }
    return withheld;
  }

  #hold(id: ContentId, holding: Holding): void {
    const path = blockFile(id);
    const known = this.#holdings.get(path);
    if (known === undefined) this.#holdings.set(path, [holding]);
    else if (!known.some(({ of, mission }) => of === holding.of && mission === holding.mission)) known.unshift(holding);
  }
}

interface Root extends Holding {
  readonly content: ContentId;
  /** Kind of the blocks that it references. */
  readonly below: ReadObject;
}

/** A record and the blocks it references: a verdict names the outputs that it is about. */
function holdingsOf({ kind, subjects, content }: LogEntry): readonly Root[] {
  if (content === null) return [];
  const of = objectOfRecord(kind);
  const mission = subjects.map((each) => addressSchema.safeParse(each).data).find((each) => each !== undefined);
  if (kind === CLOSING_KIND) return [{ content, of, below: "bundle", mission }];
  if (of === "law") return [{ content, of, below: of, mission: undefined }];
  return [{ content, of, below: of === "verdict" ? "output" : of, mission }];
}
