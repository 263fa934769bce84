import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { bundleService } from "../../../orchestrator/execution/sandbox/bundle.ts";
import { describeService, loadServices, NotAService, ServicesNotFound } from "../../../orchestrator/execution/sandbox/load-services.ts";
import { createSandbox, type Sandbox } from "../../../orchestrator/execution/sandbox/run.ts";
import { CATALOG } from "../../../services/catalog.ts";
import { rejection } from "../../support/rejection.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const about = {
  id: "shout",
  title: "Shouts",
  description: "Names in capitals.",
  accepts: ["items"],
  produces: "items",
  perItem: true,
  input: { type: "object" },
  output: { type: "object", required: ["items"] },
  capabilities: [0, 0, 0, 0, 0, 0, 0, 9, 0, 0],
  deterministic: true,
};
const source = (said: unknown) => `export const about = ${JSON.stringify(said)};
export default (input: { items: { id: string }[] }) => ({ items: input.items.map(({ id }) => ({ id, label: id.toUpperCase() })) });`;

describe("execution/sandbox/load-services", () => {
  const directory = temporaryDirectory();
  let sandbox: Sandbox;
  let mine = "";
  beforeEach(() => {
    sandbox = createSandbox({ now: () => 0 });
    mine = join(directory(), "mine");
    mkdirSync(mine);
  });

  it("asks each of the city's bundles in the sandbox, and hears what the catalogue says", async () => {
    const entries = await Promise.all(
      CATALOG.map(async ({ file }) => ({ ...(await describeService(sandbox, await bundleService(file), file)), file })),
    );
    expect(entries).to.deep.equal(CATALOG);
  });

  it("adds a user's service to the catalogue, and it runs", async () => {
    const mild = { ...about, limits: { seconds: 5, memory: 32, concurrent: 2 } };
    writeFileSync(join(mine, "shout.ts"), source(mild));
    writeFileSync(join(mine, "notes.txt"), "not a service");
    const entries = await loadServices(sandbox, mine, CATALOG);
    expect(entries).to.have.length(CATALOG.length + 1);
    const entry = entries.at(-1)!;
    expect(entry).to.deep.equal({ ...mild, file: join(mine, "shout.ts") });
    const result = await sandbox.run({ bundle: await bundleService(entry.file), input: { items: [{ id: "a" }] }, schemas: entry });
    expect(result).to.deep.include({ status: "ok", output: { items: [{ id: "a", label: "A" }] } });
  });

  it("refuses by name what is no service, without running it here", async () => {
    const bad = {
      "a taken name": source({ ...about, id: "sort" }),
      "too few capabilities": source({ ...about, capabilities: [1] }),
      "an unknown key": source({ ...about, price: 1 }),
      "too little time to start": source({ ...about, limits: { seconds: 4 } }),
      "more time than any run has": source({ ...about, limits: { seconds: 601 } }),
      "more memory than a run has": source({ ...about, limits: { memory: 512 } }),
      "too little memory to start": source({ ...about, limits: { memory: 8 } }),
      "a limit that nobody holds": source({ ...about, limits: { files: 1 } }),
      "a schema that is none": source({ ...about, input: { type: "nonsense" } }),
      "nothing about itself": "export default () => 1;",
      "code that throws": "throw new Error('no');",
      "code that wants the process": "export const about = process.env; export default () => 1;",
    };
    for (const [what, code] of Object.entries(bad)) {
      writeFileSync(join(mine, "bad.ts"), code);
      expect(await rejection(loadServices(sandbox, mine, CATALOG)), what).to.be.instanceOf(NotAService);
    }
  });

  it("says what is missing: the directory, the function, what it says about itself, an end", async () => {
    const missing = await rejection(loadServices(sandbox, join(mine, "absent"), CATALOG));
    expect(missing).to.be.instanceOf(ServicesNotFound).and.include({ action: "correct `services` in the mission file" });
    const cases: readonly (readonly [source: string, says: string])[] = [
      [`export const about = ${JSON.stringify(about)};`, "it has no default export, or one that is not a function"],
      [`export const about = ${JSON.stringify(about)}; export default 7;`, "it has no default export, or one that is not a function"],
      ["export default () => 1;", "it does not export `about`"],
      ["for (;;); export default () => 1;", "timeout: the file itself does not end within 5000 ms: is there a loop outside its functions?"],
      [
        source({ ...about, output: { requried: ["items"] } }),
        'its schema `output` cannot be used: strict mode: unknown keyword: "requried"',
      ],
      [
        source({ ...about, options: { format: "no-such" } }),
        'its schema `options` cannot be used: unknown format "no-such" ignored in schema at path "#"',
      ],
      [
        "export const about = { id: process.env }; export default () => 1;",
        "crash: the process and its environment are not available to services (ReferenceError: process is not defined)",
      ],
    ];
    for (const [code, says] of cases) {
      writeFileSync(join(mine, "bad.ts"), code);
      expect(await rejection(loadServices(sandbox, mine, CATALOG)), says).to.include({ name: "NotAService", details: says });
    }
  }).timeout(60_000);

  it("holds a service to what the template of the docs promises", async () => {
    writeFileSync(join(mine, "shout.ts"), source(about));
    const entry = (await loadServices(sandbox, mine, [])).at(-1)!;
    const answer = async (code: string) => {
      writeFileSync(join(mine, "other.ts"), `export default (input) => (${code});`);
      const input = { items: [{ id: "a" }], upstream: [{ items: [{ id: "b" }, { id: "a" }] }] };
      const result = await sandbox.run({ bundle: await bundleService(join(mine, "other.ts")), input, schemas: entry });
      return result.status === "ok" ? "ok" : `${result.kind}: ${result.details}`;
    };
    expect(await answer("{ items: [{ id: 'b' }, { id: 'a' }] }")).to.equal("ok");
    expect(await answer("{ items: [{ id: 'b' }, { id: 'a' }, { id: 'more' }] }")).to.equal("ok");
    expect(await answer("{ labels: [] }")).to.equal('schema: output: it must have "items"');
    expect(await answer("{ items: [] }")).to.equal('schema: output: 2 of 2 items have no answer: "a", "b"');
    expect(await answer("{ items: [{ id: 'b' }] }")).to.equal('schema: output: 1 of 2 items have no answer: "a"');
    expect(await answer("{ items: [{ id: 'b' }, { id: 'a' }, { id: 'b' }] }")).to.equal('schema: output: two items have the id "b"');
    const drops = await sandbox.run({
      bundle: await bundleService(join(mine, "shout.ts")),
      input: { items: [{ id: "a" }], upstream: [] },
      schemas: { ...entry, drops: true },
    });
    expect(drops.status).to.equal("ok");
  });
});
