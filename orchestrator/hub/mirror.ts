import { AgentCityError, messageOf } from "../primitives/errors.ts";
import { contentIdOf } from "../primitives/hash.ts";
import type { ContentId } from "../primitives/hex.ts";
import { parseJson } from "../primitives/json.ts";
import type { Sql } from "../records/sql.ts";
import type { HubReads, Secrecy, StreamEvent } from "./view.ts";

/** Keeps a block elsewhere, under the id that it has. Throws MirrorFailed. */
export type PutBlock = (id: ContentId, bytes: Uint8Array) => Promise<void>;

export class MirrorFailed extends AgentCityError {
  constructor(where: string, reason: string, cause?: unknown) {
    super("MirrorFailed", `The mirror at ${where} did not keep a block`, { details: reason, action: "it is tried again", cause });
  }
}

/** Milliseconds that a node may take for a block. */
const PATIENCE = 10_000;

/**
 * A node's `block/put` (Kubo RPC): raw blocks of SHA-256, pinned, so that their ids there are the ids here. `rpc` is the operator's own
 * choice, and may be on this machine.
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
      throw new MirrorFailed(rpc, `it calls the block otherwise than ${id}: ${String(keyIn(text)).slice(0, 100)}`);
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
  /** Which mirror: each has its own place in the stream. */
  readonly name: string;
  readonly put: PutBlock;
  /** Until when a payload is withheld from everybody. */
  readonly secrecyOf: (event: StreamEvent) => Promise<Secrecy>;
}

/** Events looked through in one step. */
const STEP = 100;

/**
 * Payloads of the stream on their way to a mirror: each at least once, in order. What is withheld for now holds up what comes after it, so
 * that the place in the stream says what the mirror has; a payload that is its parties' for ever, or that nobody holds any more, is passed over.
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

  /** Mirrors what is next. Returns how many blocks were kept; throws MirrorFailed, and goes on there the next time. */
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
