import { createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { type JsonValue, parseJson } from "../../orchestrator/primitives/json.ts";
import { randomStream } from "../../orchestrator/primitives/random.ts";
import { type Call, callSchema } from "../../orchestrator/protocol/calls.ts";
import { alterations, isFree } from "./alterations.ts";

export interface ProxyOptions {
  /** The city's seats. */
  readonly target: string;
  readonly seed: string;
  /** Whose questions are changed in one field before they are shown as they are. */
  readonly deceives: readonly string[];
  /** Sees every question before whom it is to. */
  readonly onCall?: (call: Call) => void;
  /** Answers wait up to so many milliseconds, each as long as the seed says; so they arrive in another order. */
  readonly delay: number;
}

/** What stands between a city and its agents, and what came of it. */
export interface MailboxProxy {
  readonly url: string;
  /** Changed questions that were answered. */
  readonly obeyed: readonly string[];
  /** Kinds of questions that were changed and refused. */
  readonly refused: ReadonlySet<string>;
  close(): Promise<void>;
}

const listSchema = z.object({ calls: z.array(callSchema) });

/** A city that its operator, or somebody on the way, tampers with: it asks something else first, and brings answers late and in another order. */
export async function serveProxy({ target, seed, deceives, onCall, delay }: ProxyOptions): Promise<MailboxProxy> {
  const random = randomStream(seed, "proxy");
  const obeyed: string[] = [];
  const refused = new Set<string>();
  /** Questions as they are shown, and in what they were changed. */
  const changed = new Map<string, { readonly call: Call; readonly path: string }>();
  /** Questions that were refused once, and are shown as they are now. */
  const honest = new Set<string>();

  function shown(call: Call): Call {
    onCall?.(call);
    if (!deceives.includes(call.to) || honest.has(call.id)) return call;
    const before = changed.get(call.id);
    if (before !== undefined) return before.call;
    const possible = alterations(call.payload).filter(({ path }) => !isFree(call.kind, path));
    if (possible.length === 0) return call;
    const { path, value } = random.pick(possible);
    const altered = { ...call, payload: z.json().parse(value) };
    changed.set(call.id, { call: altered, path });
    return altered;
  }

  async function forward(incoming: IncomingMessage, body: Buffer) {
    return new Promise<{ readonly status: number; readonly bytes: Buffer }>((resolve, reject) => {
      // With the host that the agent signed for.
      const { method, headers, url: path } = incoming;
      const out = request(new URL(path ?? "/", target), { method, headers }, async (answer) => {
        resolve({ status: answer.statusCode ?? 500, bytes: await buffer(answer) });
      });
      out.on("error", reject);
      incoming.on("aborted", () => out.destroy());
      out.end(body);
    });
  }

  const server = createServer(async (incoming, outgoing) => {
    const send = (status: number, bytes: Uint8Array) => outgoing.writeHead(status).end(bytes);
    try {
      const body = await buffer(incoming);
      const [, id, declines] = /^\/v1\/calls\/(0x[0-9a-f]{64})(\/decline)?$/.exec(incoming.url ?? "") ?? [];
      const change = id === undefined ? undefined : changed.get(id);
      if (change !== undefined) {
        // The city never hears of what it did not ask.
        changed.delete(change.call.id);
        honest.add(change.call.id);
        if (declines === undefined) obeyed.push(`${change.call.kind}: ${change.path}`);
        else refused.add(change.call.kind);
        send(200, Buffer.from(JSON.stringify({ declined: true })));
        return;
      }
      if (id !== undefined && delay > 0) await sleep(random.int(delay));
      const { status, bytes } = await forward(incoming, body);
      const isList = status === 200 && incoming.url?.startsWith("/v1/calls?") === true;
      send(status, isList ? Buffer.from(JSON.stringify(list(parseJson(bytes.toString())))) : bytes);
    } catch {
      outgoing.destroy();
    }
  });

  function list(given: JsonValue): JsonValue {
    const calls = listSchema.parse(given).calls.map(shown);
    return z.json().parse({ calls: delay > 0 ? random.shuffle(calls) : calls });
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    ...{ obeyed, refused },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
