import { AgentCityError, messageOf } from "../primitives/errors.ts";
import { contentIdOf } from "../primitives/hash.ts";
import type { ContentId } from "../primitives/hex.ts";
import { parseJson } from "../primitives/json.ts";
import type { Sql } from "../records/sql.ts";
import type { HubReads, Secrecy, StreamEvent } from "./view.ts";

/** Stores a block elsewhere under its id. Throws MirrorFailed. */
export type PutBlock = (id: ContentId, bytes: Uint8Array) => Promise<void>;

export class MirrorFailed extends AgentCityError {
  constructor(where: string, reason: string, cause?: unknown) {
    super("MirrorFailed", `The mirror at ${where} did not store a block`, { details: reason, action: "it will be retried", cause });
  }
}

/** Timeout of a node for one block, milliseconds. */
const PATIENCE = 10_000;

/**
 * A node's `block/put` (Kubo RPC): raw blocks under SHA-256, pinned, so that ids are the same there. The operator chooses `rpc`; it may be
 * on this machine.
 */
export function kuboBlocks(rpc: string): PutBlock {
  const url = new URL("/api/v0/block/put?cid-codec=raw&mhtype=sha2-256&pin=true&allow-big-block=true", rpc);
  return async (id, bytes) => {
    const form = new FormData();
    form.append("data", new Blob([new Uint8Array(bytes)]), "block");
    let text: string;
    try {
      const answer = await fetch(url, { method: "POST", body: form, redirect: "error", signal: AbortSignal.timeout(PATIENCE) });
      text = await answer.text();
      if (!answer.ok) throw new MirrorFailed(rpc, `it answered ${answer.status}`);
    } catch (error) {
      throw error instanceof MirrorFailed ? error : new MirrorFailed(rpc, messageOf(error), error);
    }
    if (!text.includes(`"${id}"`))
      throw new MirrorFailed(rpc, `it stored block ${id} under another id: ${String(keyIn(text)).slice(0, 100)}`);
  };
}

function keyIn(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

export interface MirrorOptions {
  readonly sql: Sql;
  readonly hub: Pick<HubReads, "query" | "cursor" | "payload">;
  /** Name of the mirror; each has its own position in the stream. */
  readonly name: string;
  readonly put: PutBlock;
  /** How long a payload is withheld from the public. */
  readonly secrecyOf: (event: StreamEvent) => Promise<Secrecy>;
}

/** Events per step. */
const STEP = 100;

/**
 * Sends payloads of the stream to a mirror: each at least once, in order. A payload that is withheld for now blocks those after it, so that
 * the position in the stream tells what the mirror has; one that is never public, or no longer stored, is skipped.
 */
export class Mirror {
  readonly #of: MirrorOptions;

  constructor(options: MirrorOptions) {
    this.#of = options;
  }

  async place(): Promise<number> {
    const [row] = await this.#of.sql.query("SELECT sequence FROM hub_mirrors WHERE name = $1", [this.#of.name]);
    return Number(row?.["sequence"] ?? 0);
  }

  /** Mirrors the next payloads. Returns the number of stored blocks. Throws MirrorFailed; the next call resumes there. */
  async step(): Promise<number> {
    const { sql, hub, name, put, secrecyOf } = this.#of;
    const from = await this.place();
    if (from >= hub.cursor().sequence) return 0;
    const { events } = await hub.query({ cursor: `s${from}`, limit: STEP });
    let [at, kept] = [from, 0];
    try {
      for (const event of events) {
        const secrecy = await secrecyOf(event);
        if (secrecy === "until its mission is over") break;
        const bytes = secrecy === "open" ? await hub.payload(event.payloadCid) : undefined;
        if (bytes !== undefined && contentIdOf(bytes) === event.payloadCid) {
          await put(event.payloadCid, bytes);
          kept += 1;
        }
        at = event.sequence;
      }
    } finally {
      if (at > from)
        await sql.query("INSERT INTO hub_mirrors (name, sequence) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET sequence = $2", [
          name,
          at,
        ]);
    }
    return kept;
  }
}
