import type { Context, Hono } from "hono";
import { contentIdOf } from "../primitives/hash.ts";
import { type Address, hashSchema } from "../primitives/hex.ts";
import { MAX_BLOCK_BYTES } from "../protocol/calls.ts";
import type { Caller } from "./command.ts";
import { Refused } from "./errors.ts";
import type { CityLink } from "./link.ts";

/** Path of blocks, the only routes whose bodies are not JSON. */
export const BLOCK_PATH = "/v1/blocks";

/** Bytes per unit of a caller's rate limit. */
const BYTES_PER_UNIT = 131_072;

export interface BlockRoutesOptions {
  readonly city: Pick<CityLink, "block" | "bring">;
  /** Charges the caller's rate limit. Throws TooManyRequests. */
  readonly spend: (context: Context, cost: number) => void;
  readonly bodyOf: (context: Context, most: number) => Promise<Uint8Array>;
  readonly callerOf: (context: Context, body: Uint8Array, access: "bearer" | "signed") => Promise<Caller>;
}

/** Adds the routes by which external agents download and upload blocks. */
export function addBlockRoutes(app: Hono, { city, spend, bodyOf, callerOf }: BlockRoutesOptions): void {
  /** The caller, and the requested block. */
  async function at(
    context: Context,
    body: Uint8Array,
    access: "bearer" | "signed",
  ): Promise<{ readonly key: Address; readonly id: string }> {
    const { key } = await callerOf(context, body, access);
    if (key === undefined) throw new Refused("SignatureMissing", "Blocks require a signing key");
    return { key, id: context.req.param("cid") ?? "" };
  }

  app.get(`${BLOCK_PATH}/:cid`, async (context) => {
    spend(context, 2);
    const { key, id } = await at(context, new Uint8Array(), "bearer");
    const bytes = await city.block(key, id);
    spend(context, Math.floor(bytes.length / BYTES_PER_UNIT));
    return context.newResponse(new Uint8Array(bytes), 200, { "content-type": "application/octet-stream", "cache-control": "no-store" });
  });

  app.put(`${BLOCK_PATH}/:cid`, async (context) => {
    const said = Number(context.req.header("content-length") ?? MAX_BLOCK_BYTES);
    spend(context, 5 + Math.floor(Math.min(said, MAX_BLOCK_BYTES) / BYTES_PER_UNIT));
    const body = await bodyOf(context, MAX_BLOCK_BYTES);
    const { key, id } = await at(context, body, "signed");
    const call = hashSchema.safeParse(context.req.query("call"));
    if (!call.success) throw new Refused("BadRequest", "call is the id of the question whose output this is");
    if (contentIdOf(body) !== id) throw new Refused("BadRequest", "The bytes have another id than the path");
    await city.bring(key, call.data, body);
    return context.json({ cid: id, bytes: body.length });
  });
}
