import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { z } from "zod";
import { AgentCityError, InvalidValue } from "../primitives/errors.ts";
import { canonicalJson, NotJson, parseJson } from "../primitives/json.ts";
import { type AttestationDesk, UnknownClaim } from "./desk.ts";
import { LifecycleRefused } from "./lifecycle.ts";
import { claimEnvelopeSchema, extensionManifest } from "./wire.ts";

const MAX_BODY = 64 * 1024;

export interface HandlerOptions {
  readonly desk: AttestationDesk;
  /** The caller's identity, or undefined if unknown: such callers may read and have known claims checked, but not emit. */
  readonly authenticate: (request: Request) => Promise<string | undefined>;
}

/** Serves requests: pass `fetch` to any server based on the web's Request and Response. */
export interface AttestationApp {
  readonly fetch: (request: Request) => Response | Promise<Response>;
  /** The same in process, by path. */
  readonly request: (path: string, init?: RequestInit) => Response | Promise<Response>;
}

/**
 * `POST /claims` accepts the caller's own claim, `POST /verify {claim_id}` has one checked, `GET /audit/:claim_id` returns its whole
 * record, `GET /manifest.json` describes the wire format. Responses are RFC 8785 JSON; errors are `{error: {code, message, …}}` with a
 * suitable status.
 */
export function attestationHandlers({ desk, authenticate }: HandlerOptions): AttestationApp {
  const app = new Hono();
  app.use(
    bodyLimit({ maxSize: MAX_BODY, onError: () => json({ error: refused("TooLarge", `A request has at most ${MAX_BODY} bytes`) }, 413) }),
  );
  app.onError((error) => {
    if (error instanceof UnknownClaim) return json({ error: error.toPlain() }, 404);
    if (error instanceof LifecycleRefused) return json({ error: error.toPlain() }, 409);
    if (error instanceof NotJson || error instanceof InvalidValue) return json({ error: error.toPlain() }, 400);
    if (error instanceof z.ZodError) return json({ error: { code: "InvalidValue", message: z.prettifyError(error) } }, 400);
    return json({ error: { code: "Internal", message: "The desk could not do this" } }, 500);
  });

  app.post("/claims", async ({ req }) => {
    const caller = await authenticate(req.raw);
    const envelope = claimEnvelopeSchema.parse(parseJson(await req.text()));
    if (caller === undefined) return json({ error: refused("Unauthenticated", "Authenticate before emitting a claim") }, 401);
    if (caller !== envelope.attestation.attester_id)
      return json({ error: refused("NotYours", "Only a claim's attester may emit it") }, 403);
    desk.emit(envelope);
    return json({ claim_id: envelope.attestation.claim_id }, 201);
  });

  app.post("/verify", async ({ req }) => {
    const { claim_id } = z.strictObject({ claim_id: z.string() }).parse(parseJson(await req.text()));
    return json(await desk.verify(claim_id), 200);
  });

  app.get("/manifest.json", () => json(extensionManifest(), 200));

  app.get("/audit/:claim", ({ req }) => {
    const claim = req.param("claim");
    const { envelope, outcome } = desk.file(claim);
    return json({ envelope, outcome: outcome ?? null, trail: desk.trail.filter(({ event }) => event.claim === claim) }, 200);
  });
  return app;
}

function refused(code: string, message: string) {
  return new AgentCityError(code, message).toPlain();
}

function json(body: unknown, status: number): Response {
  return new Response(canonicalJson(body), { status, headers: { "content-type": "application/json" } });
}
