import { z } from "zod";
import { recompileLaw } from "../client/compile-law.ts";
import { contentIdFromDigest } from "../primitives/hash.ts";
import { type Address, type ContentId, hashSchema } from "../primitives/hex.ts";
import { keepNewest } from "../primitives/recent.ts";
import type { MissionDocument } from "../protocol/mission-document.ts";
import type { Visibility } from "../protocol/visibility.ts";
import type { World } from "./command.ts";
import { payloadsOf } from "./payloads.ts";

const proposedSchema = z.object({ candidate: z.number(), cid: hashSchema });

interface KeptLaw {
  readonly id: ContentId;
  readonly document: MissionDocument;
}

/** Number of cached laws, least recently used first out. */
const MOST = 64;

/** The documents chosen by sessions, each read once: a mission's law never changes. */
export class Laws {
  readonly #of: Pick<World, "client" | "hub" | "blocks">;
  readonly #kept = new Map<Address, Promise<KeptLaw | undefined>>();

  constructor(world: Pick<World, "client" | "hub" | "blocks">) {
    this.#of = world;
  }

  /** The document of this mission's law; undefined if this city does not store it. */
  async of(mission: Address): Promise<KeptLaw | undefined> {
    const asked = this.#kept.get(mission) ?? this.#read(mission);
    keepNewest(this.#kept, mission, asked, MOST);
    const forget = () => {
      if (this.#kept.get(mission) === asked) this.#kept.delete(mission);
    };
    // The stream may lag behind, so absence is not cached.
    asked.then((law) => (law === undefined ? forget() : undefined), forget);
    return asked;
  }

  /** A mission's visibility; `parties` if its law is not stored here. */
  async visibilityOf(mission: Address): Promise<Visibility> {
    const law = await this.of(mission);
    return law !== undefined && law.document.visibility === undefined ? "public" : "parties";
  }

  async #read(mission: Address): Promise<KeptLaw | undefined> {
    const { client, hub, blocks } = this.#of;
    const row = hub.missionAt(mission);
    if (row === undefined) return undefined;
    const { winner } = await client.legislation.sessionOf(BigInt(row.session));
    const proposals = await payloadsOf({ hub }, { missionId: row.id, name: "LegislativeProcedure.Proposed" }, proposedSchema);
    const won = proposals.find(({ args }) => args.candidate === winner);
    if (won === undefined) return undefined;
    const id = contentIdFromDigest(won.args.cid);
    return blocks.has(id) ? { id, document: recompileLaw(blocks.get(id)).document } : undefined;
  }
}
