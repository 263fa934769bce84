import { createHash } from "node:crypto";
import { expect } from "chai";
import { privateKeyToAccount } from "viem/accounts";
import { Refused } from "../../orchestrator/gateway/errors.ts";
import { signerOfRequest, signRequest } from "../../orchestrator/gateway/http-signature.ts";
import { type ArrivedRequest, signatureBase } from "../../orchestrator/gateway/signature-base.ts";
import { bytesToHex } from "../../orchestrator/primitives/hex.ts";
import { randomStream } from "../../orchestrator/primitives/random.ts";
import { rejection } from "../support/rejection.ts";

const account = privateKeyToAccount(`0x${"11".repeat(32)}`);
const other = privateKeyToAccount(`0x${"22".repeat(32)}`);
const CHAIN = 31337;
const NOW = 1_800_000_000;
const NONCE = "abcdefghijklmnop0123";

const utf8 = (text: string) => new TextEncoder().encode(text);
const digestOf = (body: Uint8Array) => `sha-256=:${createHash("sha256").update(body).digest("base64")}:`;

/** A request with the headers given, before it is signed. */
function requestOf(
  url = "http://127.0.0.1:8420/v1/session?a=1",
  { method = "POST", body = "{}", headers = {} }: { method?: string; body?: string; headers?: Record<string, string> } = {},
): ArrivedRequest {
  return { method, url: new URL(url), headers: new Headers({ "content-type": "application/json", ...headers }), body: utf8(body) };
}

function withHeaders(request: ArrivedRequest, more: Readonly<Record<string, string | null>>): ArrivedRequest {
  const headers = new Headers([...(request.headers as Headers).entries()]);
  for (const [name, value] of Object.entries(more)) {
    if (value === null) headers.delete(name);
    else headers.set(name, value);
  }
  return { ...request, headers };
}

async function signed(request = requestOf(), { nonce = NONCE, now = NOW, chainId = CHAIN } = {}): Promise<ArrivedRequest> {
  const added = await signRequest(request, { chainId, key: account.address, nonce, now }, (raw) => account.signMessage({ message: raw }));
  return withHeaders(request, { ...added });
}

/** Signs exactly these components and parameters, whatever they are. */
async function signedAs(request: ArrivedRequest, components: readonly string[], parameters: string, by = account): Promise<ArrivedRequest> {
  const complete = request.body.length === 0 ? request : withHeaders(request, { "content-digest": digestOf(request.body) });
  const list = `(${components.map((name) => `"${name}"`).join(" ")})${parameters}`;
  const known = components.filter((name) => name !== "@unknown");
  const signature = await by.signMessage({ message: { raw: bytesToHex(utf8(signatureBase(complete, known, list))) } });
  const base64 = Buffer.from(signature.slice(2), "hex").toString("base64");
  return withHeaders(complete, { "signature-input": `eth=${list}`, signature: `eth=:${base64}:` });
}

const KEY_ID = `erc8128:${CHAIN}:${account.address.toLowerCase()}`;
const ALL = ["@method", "@authority", "@path", "@query", "content-digest", "content-type"];
const parameters = ({ created = NOW, expires = NOW + 60, nonce = NONCE, keyid = KEY_ID } = {}) =>
  `;created=${created};expires=${expires};nonce="${nonce}";keyid="${keyid}"`;

describe("a signed request", () => {
  const verify = (request: ArrivedRequest, now = NOW) => signerOfRequest(request, CHAIN, now);

  it("has the base that RFC 9421 gives", () => {
    const request = withHeaders(requestOf(), { "content-digest": digestOf(utf8("{}")) });
    expect(signatureBase(request, ALL, '("@method");created=1').split("\n")).to.deep.equal([
      '"@method": POST',
      '"@authority": 127.0.0.1:8420',
      '"@path": /v1/session',
      '"@query": ?a=1',
      '"content-digest": sha-256=:RBNvo1WzZ4oRRq0W9+hknpT7T8If536DEMBg9hyq/4o=:',
      '"content-type": application/json',
      '"@signature-params": ("@method");created=1',
    ]);
  });

  const accepted: Readonly<Record<string, () => Promise<ArrivedRequest>>> = {
    "as our own signer makes it": () => signed(),
    "without a query": () => signed(requestOf("http://127.0.0.1:8420/v1/session")),
    "without a body": () => signed(requestOf("http://127.0.0.1:8420/v1/session", { method: "GET", body: "" })),
    "with its components in another order": () => signedAs(requestOf(), [...ALL].reverse(), parameters()),
    "with one header more": () => signedAs(requestOf(undefined, { headers: { accept: "*/*" } }), [...ALL, "accept"], parameters()),
    "with all meaning headers": () =>
      signed(requestOf(undefined, { headers: { "idempotency-key": "k1", "if-match": '"e"', "last-event-id": "4" } })),
    "by a proxy's public name": () => signed(requestOf("https://city.example/v1/session?a=1")),
    "whose path is percent-encoded": () => signed(requestOf("http://127.0.0.1:8420/v1/a%20b?c=%22")),
    "with parameters in another order": () =>
      signedAs(requestOf(), ALL, `;keyid="${KEY_ID}";nonce="${NONCE}";expires=${NOW + 60};created=${NOW}`),
    "from a clock four seconds ahead": () => signed(requestOf(), { now: NOW + 4 }),
  };
  for (const [name, make] of Object.entries(accepted))
    it(`is good ${name}`, async () => {
      expect(await verify(await make())).to.include({ key: account.address, nonce: NONCE });
    });

  const change = async (more: Partial<ArrivedRequest>, request = requestOf()) => ({ ...(await signed(request)), ...more });
  const changeHeader = async (more: Record<string, string | null>, request = requestOf()) => withHeaders(await signed(request), more);
  const input = async (edit: (text: string) => string) => {
    const request = await signed();
    return withHeaders(request, { "signature-input": edit(request.headers.get("signature-input") ?? "") });
  };
  const without = (name: string) =>
    signedAs(
      requestOf(),
      ALL.filter((each) => each !== name),
      parameters(),
    );

  const refused: Readonly<Record<string, () => Promise<ArrivedRequest>>> = {
    "another method": () => change({ method: "PUT" }),
    "another host": () => change({ url: new URL("http://localhost:8420/v1/session?a=1") }),
    "another port": () => change({ url: new URL("http://127.0.0.1:8421/v1/session?a=1") }),
    "another path": () => change({ url: new URL("http://127.0.0.1:8420/v1/other?a=1") }),
    "another query": () => change({ url: new URL("http://127.0.0.1:8420/v1/session?a=2") }),
    "a query taken away": () => change({ url: new URL("http://127.0.0.1:8420/v1/session") }),
    "a query put in": () => change({ url: new URL("http://127.0.0.1:8420/v1/session?a=1") }, requestOf("http://127.0.0.1:8420/v1/session")),
    "another body": () => change({ body: utf8('{"a":1}') }),
    "another body with its digest": () => change({ body: utf8("[]"), headers: new Headers({ "content-digest": digestOf(utf8("[]")) }) }),
    "a body put in": () => change({ body: utf8("{}") }, requestOf(undefined, { method: "GET", body: "" })),
    "no digest of its body": () => changeHeader({ "content-digest": null }),
    "another content type": () => changeHeader({ "content-type": "text/plain" }),
    "an idempotency key put in": () => changeHeader({ "idempotency-key": "k" }),
    "If-Match put in": () => changeHeader({ "if-match": '"x"' }),
    "Last-Event-ID put in": () => changeHeader({ "last-event-id": "1" }),
    "the idempotency key of another": () =>
      changeHeader({ "idempotency-key": "k2" }, requestOf(undefined, { headers: { "idempotency-key": "k1" } })),
    "an idempotency key taken away": () =>
      changeHeader({ "idempotency-key": null }, requestOf(undefined, { headers: { "idempotency-key": "k1" } })),
    "its method unsigned": () => without("@method"),
    "its host unsigned": () => without("@authority"),
    "its path unsigned": () => without("@path"),
    "its query unsigned": () => without("@query"),
    "its body unsigned": () => without("content-digest"),
    "its content type unsigned": () => without("content-type"),
    "a component twice": () => signedAs(requestOf(), [...ALL, "@path"], parameters()),
    "a component nobody knows": () => signedAs(requestOf(), [...ALL, "@unknown"], parameters()),
    "no nonce": () => signedAs(requestOf(), ALL, `;created=${NOW};expires=${NOW + 60};keyid="${KEY_ID}"`),
    "a short nonce": () => signedAs(requestOf(), ALL, parameters({ nonce: "short" })),
    "a life of an hour": () => signedAs(requestOf(), ALL, parameters({ expires: NOW + 3_600 })),
    "an end before its beginning": () => signedAs(requestOf(), ALL, parameters({ expires: NOW - 1 })),
    "no end": () => signedAs(requestOf(), ALL, `;created=${NOW};nonce="${NONCE}";keyid="${KEY_ID}"`),
    "a date in the future": () => signed(requestOf(), { now: NOW + 30 }),
    "a date in the past": () => signed(requestOf(), { now: NOW - 61 }),
    "another chain": () => signed(requestOf(), { chainId: 1 }),
    "another's key id": () => signedAs(requestOf(), ALL, parameters(), other),
    "a parameter nobody knows": () => signedAs(requestOf(), ALL, `${parameters()};tag="x"`),
    "a parameter twice": () => signedAs(requestOf(), ALL, `${parameters()};created=${NOW}`),
    "a number as text": () => signedAs(requestOf(), ALL, parameters().replace(`created=${NOW}`, `created="${NOW}"`)),
    "another label": () => input((text) => text.replace("eth=", "sig1=")),
    "two signatures": () => input((text) => `${text}, ${text.replace("eth=", "eth2=")}`),
    "junk behind its input": () => input((text) => `${text};`),
    "no signature": () => changeHeader({ signature: null }),
    "a signature of zeros": () => changeHeader({ signature: `eth=:${Buffer.alloc(65).toString("base64")}:` }),
    "a signature cut short": () => changeHeader({ signature: `eth=:${Buffer.alloc(64, 1).toString("base64")}:` }),
  };
  for (const [name, make] of Object.entries(refused))
    it(`is refused with ${name}`, async () => {
      const error = await rejection(make().then((request) => verify(request)));
      expect(error).to.be.instanceOf(Refused);
      expect(error).to.include({ code: "BadSignature" });
    });

  it("is refused as its own twin: the other signature that the curve has for it", async () => {
    const request = await signed();
    const bytes = Buffer.from((request.headers.get("signature") ?? "").slice(5, -1), "base64");
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    const twin = (order - BigInt(`0x${bytes.subarray(32, 64).toString("hex")}`)).toString(16).padStart(64, "0");
    const other = Buffer.concat([bytes.subarray(0, 32), Buffer.from(twin, "hex"), Buffer.from([bytes[64] === 27 ? 28 : 27])]);
    expect(await rejection(verify(withHeaders(request, { signature: `eth=:${other.toString("base64")}:` })))).to.include({
      code: "BadSignature",
    });
  });

  it("is refused with any one byte of its two headers changed", async () => {
    const random = randomStream("signature bytes");
    const request = await signed();
    for (let at = 0; at < 300; at += 1) {
      const name = random.int(2) === 0 ? "signature" : "signature-input";
      const text = request.headers.get(name) ?? "";
      const place = random.int(text.length);
      const letter = String.fromCharCode(33 + random.int(94));
      const changed = `${text.slice(0, place)}${letter}${text.slice(place + 1)}`;
      // Addresses are written in any case.
      if (changed.toLowerCase() === text.toLowerCase()) continue;
      expect(await rejection(verify(withHeaders(request, { [name]: changed }))), changed).to.include({ code: "BadSignature" });
    }
  });
});
