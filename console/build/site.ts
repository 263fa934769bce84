import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { extname, join } from "node:path";
import { z } from "zod";
import { AgentCityError } from "../../orchestrator/primitives/errors.ts";
import { sha256 } from "../../orchestrator/primitives/hash.ts";
import { HEADERS, LIVE_HEADERS } from "./policy.ts";
import { SEAL, shippedBeside } from "./shipped.ts";

const PAGE = "/index.html";
const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
};

const sealSchema = z.strictObject({ console: z.literal(1), firstLoad: z.int(), files: z.record(z.string(), z.string()) });

/** What is served, by path. */
export type Site = ReadonlyMap<string, Uint8Array>;

/**
 * Reads the build that the tree names in `dist.sha256`, beside the folder: from the folder, or, where that holds none or another, from the one
 * that is shipped. Throws NotBuilt; BuildUnknown where neither is of this version; BuildChanged with the first file whose bytes are not those
 * that were built.
 */
export function readSite(dist: string): { readonly site: Site; readonly build: string } {
  const build = readFileSync(`${dist}.sha256`, "utf8").trim();
  const found: string[] = [];
  // What is shipped is not unpacked where the folder has it.
  for (const open of [() => (path: string) => readFileSync(join(dist, path)), () => shippedIn(dist)]) {
    const read = open();
    const seal = sealOf(read);
    if (seal === undefined) continue;
    found.push(sha256(seal).slice(2));
    if (found.at(-1) === build) return { site: siteOf(seal, read), build };
  }
  const action = "npm run console:build, which takes a minute";
  if (found.length === 0) throw new AgentCityError("NotBuilt", "The console is not built", { action });
  throw new AgentCityError("BuildUnknown", "The console in console/dist is not of this version", { details: found.join(), action });
}

type Read = (path: string) => Uint8Array;

function shippedIn(dist: string): Read {
  const shipped = shippedBeside(dist);
  return (path) => shipped?.get(path) ?? new Uint8Array();
}

/** The list of a build's files; undefined where there is none. */
function sealOf(read: Read): Uint8Array | undefined {
  try {
    const seal = read(SEAL);
    return seal.length === 0 ? undefined : seal;
  } catch {
    return undefined;
  }
}

/** Every file of a list, each as it was built. */
function siteOf(seal: Uint8Array, read: Read): Site {
  const { files } = sealSchema.parse(JSON.parse(new TextDecoder().decode(seal)));
  const site = new Map<string, Uint8Array>();
  for (const [path, expected] of Object.entries(files)) {
    const bytes = read(path);
    if (sha256(bytes) !== `0x${expected}`)
      throw new AgentCityError("BuildChanged", `The console's file ${path} was changed after the build`, {
        action: "npm run console:build",
      });
    site.set(`/${path}`, bytes);
  }
  return site;
}

const refusal = (status: number) => ({
  status,
  headers: { ...HEADERS, "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" },
  body: new TextEncoder().encode(`${status}\n`),
});

/** Says to the page which of its two faces it has; the build has the one that stands alone. */
const FACE = "/face.js";
const LIVE_FACE = new TextEncoder().encode('document.documentElement.dataset.face = "city";\n');

/** A file of a site by its path, with the headers that go with it: a deep link gets the page. */
export function fileAt(site: Site, path: string, face: "alone" | "city") {
  const name = !site.has(path) && extname(path) === "" ? PAGE : path;
  const bytes = site.get(name);
  if (bytes === undefined) return undefined;
  // Names of built files carry their hash; the page and its face have to be asked for again.
  const keep = name === PAGE || name === FACE ? "no-cache" : "public, max-age=31536000, immutable";
  const headers = { ...(face === "city" ? LIVE_HEADERS : HEADERS), "content-type": TYPES[extname(name)] ?? "application/octet-stream" };
  return { body: name === FACE && face === "city" ? LIVE_FACE : bytes, headers: { ...headers, "cache-control": keep } };
}

/** A name other than this machine's gets nothing. */
function answerTo(site: Site, { method, url = "/", headers }: Pick<IncomingMessage, "method" | "url" | "headers">) {
  const host = (headers.host ?? "").replace(/:\d+$/, "");
  if (host !== "127.0.0.1" && host !== "localhost") return refusal(421);
  if (method !== "GET" && method !== "HEAD") return refusal(405);
  const found = fileAt(site, url.split(/[?#]/, 1)[0] ?? "/", "alone");
  return found === undefined ? refusal(404) : { status: 200, ...found };
}

/** Listens on the loopback address; port 0 takes a free one. */
export async function serveSite(site: Site, port: number) {
  const server = createServer((request, response) => {
    const { status, headers, body } = answerTo(site, request);
    response.writeHead(status, headers);
    response.end(request.method === "HEAD" ? undefined : body);
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const taken = typeof address === "object" && address !== null ? address.port : port;
  return { server, url: `http://127.0.0.1:${taken}/` };
}
