import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { createAgent } from "../../orchestrator/agent/agent.ts";
import { CityRefused } from "../../orchestrator/agent/errors.ts";
import { keccak256 } from "../../orchestrator/primitives/hash.ts";
import { rejection } from "../support/rejection.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

describe("an agent whose city refuses it", () => {
  const directory = temporaryDirectory();
  let city: Server;
  let answer: { readonly status: number; readonly code: string };

  beforeEach(async () => {
    city = createServer((_, response) => {
      response.writeHead(answer.status, { "content-type": "application/json" });
      response.end(JSON.stringify({ code: answer.code, message: "not now" }));
    });
    await once(city.listen(0, "127.0.0.1"), "listening");
  });
  afterEach(() => city.close());

  /** Runs until it says that it asks again, or stops by itself. */
  async function run(status: number, code: string): Promise<string> {
    answer = { status, code };
    const again = Promise.withResolvers<string>();
    const stop = new AbortController();
    const running = createAgent({
      city: `http://127.0.0.1:${(city.address() as AddressInfo).port}`,
      key: keccak256(new TextEncoder().encode("an agent")),
      folder: join(directory(), "agent"),
      services: [],
      clock: { millis: () => performance.timeOrigin + performance.now(), sleep: async (time) => void (await sleep(time)) },
      progress: (line) => line.includes("asking again") && again.resolve(line),
    }).run(stop.signal);
    const ended = rejection(running);
    const said = await Promise.race([again.promise, ended.then((error) => Promise.reject(error))]).finally(() => stop.abort());
    await ended;
    return said;
  }

  for (const [what, status, code] of [
    ["has too many that wait", 429, "TooManyWait"],
    ["cannot reach its chain", 503, "RpcUnreachable"],
    ["has a fault of its own", 500, "BlockDamaged"],
    ["read a request too late", 401, "Stale"],
  ] as const)
    it(`asks again where it ${what}`, async () => {
      expect(await run(status, code)).to.include(`${status} ${code}`);
    });

  it("stops where the same request will be refused again", async () => {
    expect(await rejection(run(401, "WrongSignature"))).to.be.instanceOf(CityRefused);
  });
});
