import { randomBytes } from "node:crypto";
import { type LocalAccount, recoverTypedDataAddress } from "viem";
import { z } from "zod";
import { InvalidValue } from "../primitives/errors.ts";
import { contentIdOf, keccak256 } from "../primitives/hash.ts";
import { type Address, bytesToHex, type Hash } from "../primitives/hex.ts";
import { canonicalBytes, type JsonValue, parseJson } from "../primitives/json.ts";
import {
  type Call,
  type CityCard,
  callSchema,
  cityCardSchema,
  MAX_BLOCK_BYTES,
  MAX_CALL_BYTES,
  mailboxDomain,
  mailboxTypes,
  type Received,
  receivedSchema,
} from "../protocol/calls.ts";
import { CityAway, CityRefused } from "./errors.ts";

const refusalSchema = z.object({ code: z.string(), message: z.string() });
const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]"]);

/** The agent's connection to its city. Requests are signed; responses are size-limited and validated. */
export class CityLink {
  readonly #base: URL;
  readonly #account: LocalAccount;
  readonly #millis: () => number;
  #chainId = 0;
  #receiver: Address | undefined;

  constructor(url: string, account: LocalAccount, millis: () => number) {
    if (!URL.canParse(url)) throw new InvalidValue("city", "it is no URL", { details: url });
    this.#base = new URL(url);
    if (this.#base.protocol !== "https:" && !LOOPBACK.has(this.#base.hostname))
      throw new InvalidValue("city", "http: is for cities on this machine only", { details: url });
    this.#account = account;
    this.#millis = millis;
  }

  async card(): Promise<CityCard> {
    const card = cityCardSchema.parse(await this.#json("GET", "/v1/city"));
    this.#chainId = card.chainId;
    this.#receiver = card.receiver;
    return card;
  }

  /** Open calls for this agent. `build` is reported to the city. */
  async calls(seconds: number, signal: AbortSignal, build?: string): Promise<readonly Call[]> {
    const query = new URLSearchParams({ wait: String(seconds), ...(build === undefined ? {} : { build }) });
    return z.object({ calls: z.array(callSchema).max(1_000) }).parse(await this.#json("GET", `/v1/calls?${query}`, undefined, signal))
      .calls;
  }

  async answer(id: Hash, answer: JsonValue): Promise<Received> {
    return receivedSchema.parse(await this.#json("POST", `/v1/calls/${id}`, answer));
  }

  /** Whether a receipt is for this call and signed with the city's receipt key. */
  async isReceipt(id: Hash, { call, answer, at, signature }: Received): Promise<boolean> {
    const signer = await recoverTypedDataAddress({
      ...{ domain: mailboxDomain(this.#chainId), types: mailboxTypes, primaryType: "Received", signature },
      message: { call, answer, at: BigInt(at) },
    }).catch(() => undefined);
    return call === id && signer !== undefined && signer === this.#receiver;
  }

  async decline(id: Hash, why: string): Promise<void> {
    await this.#json("POST", `/v1/calls/${id}/decline`, { why: why.slice(0, 4_096) });
  }

  async post(path: string, body: JsonValue): Promise<void> {
    await this.#json("POST", path, body);
  }

  /** Reads a block by its id and rejects any other bytes. */
  async block(id: string): Promise<Uint8Array> {
    const bytes = await this.#send("GET", `/v1/blocks/${id}`, new Uint8Array(), MAX_BLOCK_BYTES);
    if (contentIdOf(bytes) !== id) throw new InvalidValue("block", "its bytes have another id", { details: id });
    return bytes;
  }

  async putBlock(bytes: Uint8Array): Promise<string> {
    const id = contentIdOf(bytes);
    await this.#send("PUT", `/v1/blocks/${id}`, bytes, MAX_CALL_BYTES);
    return id;
  }

  async #json(method: string, target: string, body?: JsonValue, signal?: AbortSignal): Promise<JsonValue> {
    const bytes = body === undefined ? new Uint8Array() : canonicalBytes(body);
    return parseJson(new TextDecoder("utf-8", { fatal: true }).decode(await this.#send(method, target, bytes, 4 * MAX_CALL_BYTES, signal)));
  }

  async #send(method: string, target: string, body: Uint8Array, most: number, signal?: AbortSignal): Promise<Uint8Array> {
    const created = Math.floor(this.#millis());
    const nonce = bytesToHex(randomBytes(32));
    const message = { method, host: this.#base.host, target, body: keccak256(body), created: BigInt(created), nonce };
    const domain = mailboxDomain(this.#chainId);
    const signature = await this.#account.signTypedData({ domain, types: mailboxTypes, primaryType: "MailboxRequest", message });
    const response = await fetch(new URL(target, this.#base), {
      method,
      redirect: "error",
      headers: { authorization: `AgentCity ${this.#account.address} ${created} ${nonce} ${signature}` },
      ...(body.length === 0 ? {} : { body: new Uint8Array(body) }),
      signal: signal ?? AbortSignal.timeout(60_000),
    }).catch((error: unknown) => {
      throw new CityAway(this.#base.origin, error);
    });
    const bytes = await bounded(response, most);
    if (response.ok) return bytes;
    const refusal = refusalSchema.safeParse(parseJson(new TextDecoder().decode(bytes) || "null")).data;
    throw new CityRefused(response.status, refusal?.code ?? "Unknown", refusal?.message ?? "it gave no reason");
  }
}

async function bounded(response: Response, most: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > most) throw new InvalidValue("answer", `it is longer than ${most} bytes`);
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}
