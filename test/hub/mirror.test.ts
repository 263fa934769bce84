import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { kuboBlocks, Mirror } from "../../orchestrator/hub/mirror.ts";
import type { Secrecy, StreamEvent } from "../../orchestrator/hub/view.ts";
import { AgentCityError } from "../../orchestrator/primitives/errors.ts";
import { contentIdOf, keccak256 } from "../../orchestrator/primitives/hash.ts";
import { type Database, openDatabase } from "../../orchestrator/records/database.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const bytesOf = (at: number) => new TextEncoder().encode(`{"at":${at}}`);

function eventAt(sequence: number): StreamEvent {
  const hash = keccak256(bytesOf(sequence));
  return {
    ...{ eventId: hash, missionId: hash, epoch: 0, eventType: null, emitterContract: `0x${"00".repeat(20)}` },
    ...{ primaryEntity: null, secondaryEntity: null, nodeId: null, payloadHash: hash, payloadCid: contentIdOf(bytesOf(sequence)) },
    ...{ blockNumber: 1, timestamp: 1, gasUsed: 0, name: "Test.Event", blockHash: null, transactionHash: null, logIndex: null },
    ...{ record: null, corrects: null, sequence, prev: hash, hash, salt: hash, payloadSeal: hash, isFinal: true, isCorrected: false },
  };
}

/** A node that answers as Kubo's RPC does: it hashes what it is given for itself. */
describe("a mirror of the hub's payloads", function () {
  this.timeout(30_000);
  const directory = suiteDirectory();
  let database: Database;
  let server: Server;
  let rpc = "";
  const node = { kept: [] as string[], isDown: false, lies: false };
  const events = [1, 2, 3, 4, 5].map(eventAt);
  const withheld = new Map<number, Secrecy>();

  before(async () => {
    database = await openDatabase({ dir: directory() });
    server = createServer(async (request, response) => {
      const sent: Uint8Array<ArrayBuffer>[] = [];
      for await (const chunk of request) sent.push(new Uint8Array(chunk as Uint8Array));
      const form = await new Response(new Blob(sent), {
        headers: { "content-type": request.headers["content-type"] ?? "" },
      }).formData();
      const data = form.get("data");
      if (node.isDown || !(data instanceof Blob) || !request.url?.startsWith("/api/v0/block/put?cid-codec=raw&mhtype=sha2-256"))
        return response.writeHead(500).end("down");
      const bytes = new Uint8Array(await data.arrayBuffer());
      const key = contentIdOf(node.lies ? bytesOf(0) : bytes);
      node.kept.push(new TextDecoder().decode(bytes));
      return response.writeHead(200).end(JSON.stringify({ Key: key, Size: bytes.length }));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    rpc = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(async () => {
    server.close();
    await database.close();
  });

  const open = () =>
    new Mirror({
      ...{ sql: database, name: "a node", put: kuboBlocks(rpc) },
      hub: {
        cursor: () => ({ block: 1, record: 0, sequence: 5, hash: keccak256(bytesOf(5)) }),
        query: async ({ cursor = "s0" }) => ({ events: events.filter(({ sequence }) => sequence > Number(cursor.slice(1))), next: null }),
        // Let go of after its time.
        payload: async (cid) => [1, 3, 4, 5].map(bytesOf).find((bytes) => contentIdOf(bytes) === cid),
      },
      secrecyOf: async ({ sequence }) => withheld.get(sequence) ?? "open",
    });
  const failing = (promise: Promise<unknown>) =>
    promise.then(
      () => "nothing",
      (error: unknown) => (error instanceof AgentCityError ? error.code : String(error)),
    );

  it("keeps nothing that nobody may read yet, and goes on once they may", async () => {
    withheld.set(4, "until its mission is over");
    expect([await open().step(), await open().step(), await open().place()]).to.deep.equal([2, 0, 3]);
    withheld.clear();
    expect([await open().step(), await open().place()]).to.deep.equal([2, 5]);
    expect(node.kept).to.deep.equal(['{"at":1}', '{"at":3}', '{"at":4}', '{"at":5}']);
    expect(await open().step()).to.equal(0);
  });

  it("passes over what is its parties' for ever", async () => {
    await database.query("DELETE FROM hub_mirrors");
    node.kept = [];
    withheld.set(3, "for ever");
    expect([await open().step(), await open().place()]).to.deep.equal([3, 5]);
    expect(node.kept).to.deep.equal(['{"at":1}', '{"at":4}', '{"at":5}']);
    withheld.clear();
  });

  it("goes on where a node that was away left it, and believes no node that calls a block otherwise", async () => {
    await database.query("DELETE FROM hub_mirrors");
    node.kept = [];
    node.isDown = true;
    expect([await failing(open().step()), await open().place()]).to.deep.equal(["MirrorFailed", 0]);
    node.isDown = false;
    node.lies = true;
    expect([await failing(open().step()), await open().place()]).to.deep.equal(["MirrorFailed", 0]);
    node.lies = false;
    expect([await open().step(), await open().place()]).to.deep.equal([4, 5]);
  });
});
