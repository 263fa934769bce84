/** A client's payer behind HTTP: believes the operator that its agreements name, and pays each instruction once. */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";
import { signerOfRequest } from "../../orchestrator/gateway/http-signature.ts";
import type { Push } from "../../orchestrator/gateway/push.ts";
import type { Address } from "../../orchestrator/primitives/hex.ts";

const instructionSchema = z.object({ key: z.string(), amount: z.string(), currency: z.string(), payee: z.string() });

export interface Answer {
  readonly status: number;
  readonly text?: string;
}

export interface Payer {
  /** What the world calls it by. */
  readonly origin: string;
  /** Everything is as on the internet, but that the payer's name leads to this process. */
  readonly push: Push;
  /** What each payee has received, and what each purse holds, smallest units of USDC. */
  readonly received: Map<string, bigint>;
  readonly purses: Map<string, bigint>;
  /** Answers before it looks at anything, in turn. */
  readonly answers: Answer[];
  /** Idempotency keys as they came. */
  readonly keys: string[];
  /** Bodies as they came. */
  readonly told: string[];
  close(): void;
}

export async function openPayer(by: { readonly operator: Address; readonly chainId: number; readonly now: () => number }): Promise<Payer> {
  const [received, purses, paid] = [new Map<string, bigint>(), new Map<string, bigint>(), new Map<string, string>()];
  const [answers, keys, told]: [Answer[], string[], string[]] = [[], [], []];
  const origin = "https://payer.example";

  async function answer(request: IncomingMessage): Promise<Answer> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array));
    const body = new Uint8Array(Buffer.concat(chunks));
    const url = new URL(request.url ?? "/", origin);
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const signer = await signerOfRequest({ method: "POST", url, headers: new Headers(headers), body }, by.chainId, by.now()).catch(
      () => undefined,
    );
    if (signer?.key !== by.operator) return { status: 401, text: "not by the operator that was agreed on" };
    const text = new TextDecoder().decode(body);
    const { key, amount, payee } = instructionSchema.parse(JSON.parse(text));
    if (headers["idempotency-key"] !== `"${key}"`) return { status: 400 };
    keys.push(key);
    told.push(text);
    const before = paid.get(key);
    if (before !== undefined) return { status: 200, text: before };
    const said = answers.shift();
    if (said !== undefined) return said;
    const units = BigInt(Math.round(Number(amount) * 1e6));
    const held = purses.get(payee) ?? 0n;
    if (held < units) return { status: 503, text: "not enough in the purse yet" };
    purses.set(payee, held - units);
    received.set(payee, (received.get(payee) ?? 0n) + units);
    const receipt = JSON.stringify({ reference: `transfer ${paid.size + 1}`, amount });
    paid.set(key, receipt);
    return { status: 200, text: receipt };
  }

  const server = createServer((request, response) => {
    void answer(request).then(({ status, text }) =>
      response.writeHead(status, status === 302 ? { location: "http://10.0.0.1/" } : {}).end(text),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    ...{ origin, received, purses, answers, keys, told },
    async push(url, { body, headers }) {
      const at = `http://127.0.0.1:${port}${url.pathname}${url.search}`;
      const response = await fetch(at, { method: "POST", headers, body: new Uint8Array(body), redirect: "manual" });
      return { status: response.status, text: await response.text() };
    },
    close: () => server.close(),
  };
}
