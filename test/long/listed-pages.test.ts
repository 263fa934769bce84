import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { expect } from "chai";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { createFetcher } from "../../orchestrator/execution/fetch/fetcher.ts";
import { balances, type Outcome } from "../../orchestrator/protocol/outcome.ts";
import { carryOutIn, openHome } from "../support/city-home.ts";
import { smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const PAGES: Readonly<Record<string, readonly [type: string, text: string]>> = {
  "/ada.html": ["text/html", "<title>Ada</title><p>Ada Lovelace wrote to bo@pages.test on 2026-03-08."],
  "/price.json": ["application/json", '{"price":"30 EUR"}'],
  "/notes.md": ["text/markdown", "# Release\n\nv1.2.3 is out.\n"],
};

/** A mission whose input is a list of addresses: its services ask for the pages, and the city fetches them. */
describe("scenario: listed pages", function () {
  this.timeout(240_000);
  const directory = suiteDirectory();
  const seen: string[] = [];
  let server: Server;
  let port: number;
  let city: City;
  let outcome: Outcome;

  before(async () => {
    server = createServer((request, response) => {
      seen.push(request.url ?? "");
      const [type, text] = PAGES[request.url ?? ""] ?? ["text/plain", ""];
      response.writeHead(text === "" ? 404 : 200, { "content-type": type }).end(text);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    port = typeof address === "object" && address !== null ? address.port : 0;
    const list = join(directory(), "pages.txt");
    writeFileSync(list, [...Object.keys(PAGES), "/absent"].map((path) => `http://pages.test:${port}${path}\n`).join(""));
    const home = join(directory(), "home");
    const fetchPage = createFetcher({ resolve: async () => ["127.0.0.1"], mayConnect: (to) => to === "127.0.0.1" });
    city = await openHome(home, "17", { fetchPage });
    const tasks = {
      read: { service: "fetch-and-parse", over: "input", tier: 1 },
      entities: { service: "extract-entities", after: ["read"], tier: 1 },
      table: { service: "csv", after: ["entities"], tier: 1 },
    };
    const text = smallMission(list, { input: { kind: "urls", path: list }, tasks, output: { task: "table", format: "json" } });
    outcome = await carryOutIn(city, text, { id: "pages", home });
  });
  after(async () => {
    await city?.close();
    server?.closeAllConnections();
    server?.close();
  });

  it("is completed and paid, and its document holds what the pages say", () => {
    expect(outcome.status).to.equal("completed");
    expect(balances(outcome.money)).to.equal(true);
    const table = readFileSync(outcome.report ?? "", "utf8");
    for (const entity of ["Ada Lovelace", "bo@pages.test", "2026-03-08", "30 EUR", "v1.2.3"]) expect(table).to.include(entity);
  });

  it("asks for each page once, whoever runs the service and however often", () => {
    expect(seen.toSorted()).to.deep.equal([...Object.keys(PAGES), "/absent"].sort());
  });

  it("leaves a bundle that an auditor accepts without the server", async () => {
    expect((await auditBundle(outcome.bundle ?? "")).passed).to.equal(true);
  });

  it("are all that there is: where none can be fetched, the mission ends with the reason, and nobody is paid", async () => {
    const list = join(directory(), "absent.txt");
    writeFileSync(list, ["/gone", "/lost", "/moved"].map((path) => `http://pages.test:${port}${path}\n`).join(""));
    const tasks = { read: { service: "fetch-and-parse", over: "input", tier: 1 }, table: { service: "csv", after: ["read"], tier: 1 } };
    const text = smallMission(list, { input: { kind: "urls", path: list }, tasks, output: { task: "table", format: "csv" } });
    const nothing = await carryOutIn(city, text, { id: "absent", home: join(directory(), "home") });
    expect(nothing.status).to.equal("aborted");
    expect(nothing.failure?.reason).to.match(
      /^nothing of the input could be read: http:\/\/pages\.test:\d+\/gone: the server answered 404; /,
    );
    expect(nothing.money).to.deep.include({ deposit: "300000000", refunded: "300000000", paid: "0" });
    expect(nothing.slashed).to.equal("0");
    expect((await auditBundle(nothing.bundle ?? "")).passed).to.equal(true);
  });
});
