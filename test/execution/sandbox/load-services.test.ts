import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { bundleService } from "../../../orchestrator/execution/sandbox/bundle.ts";
import { describeService, loadServices, NotAService } from "../../../orchestrator/execution/sandbox/load-services.ts";
import { createSandbox, type Sandbox } from "../../../orchestrator/execution/sandbox/run.ts";
import { CATALOG } from "../../../services/catalog.ts";
import { rejection } from "../../support/rejection.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const about = {
  id: "shout",
  title: "Shouts",
  accepts: ["items"],
  produces: "items",
  perItem: true,
  input: { type: "object" },
  output: { type: "object", required: ["items"] },
  capabilities: [0, 0, 0, 0, 0, 0, 0, 9, 0, 0],
  deterministic: true,
};
const source = (said: unknown) => `export const about = ${JSON.stringify(said)};
export default (input: { items: { id: string }[] }) => ({ items: input.items.map(({ id }) => ({ id: id.toUpperCase() })) });`;

describe("execution/sandbox/load-services", () => {
  const directory = temporaryDirectory();
  let sandbox: Sandbox;
  let mine = "";
  beforeEach(() => {
    sandbox = createSandbox({ directory: join(directory(), "bundles"), now: () => 0 });
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
    writeFileSync(join(mine, "shout.ts"), source(about));
    writeFileSync(join(mine, "notes.txt"), "not a service");
    const entries = await loadServices(sandbox, mine, CATALOG);
    expect(entries).to.have.length(CATALOG.length + 1);
    const entry = entries.at(-1)!;
    expect(entry).to.deep.equal({ ...about, file: join(mine, "shout.ts") });
    const result = await sandbox.run({ bundle: await bundleService(entry.file), input: { items: [{ id: "a" }] }, schemas: entry });
    expect(result).to.deep.include({ status: "ok", output: { items: [{ id: "A" }] } });
  });

  it("refuses by name what is no service, without running it here", async () => {
    const bad = {
      "a taken name": source({ ...about, id: "sort" }),
      "too few capabilities": source({ ...about, capabilities: [1] }),
      "an unknown key": source({ ...about, price: 1 }),
      "a schema that is none": source({ ...about, input: { type: "nonsense" } }),
      "nothing about itself": "export default () => 1;",
      "code that throws": "throw new Error('no');",
      "code that wants the process": "export const about = process.env; export default () => 1;",
    };
    for (const [what, code] of Object.entries(bad)) {
      writeFileSync(join(mine, "bad.ts"), code);
      expect(await rejection(loadServices(sandbox, mine, CATALOG)), what).to.be.instanceOf(NotAService);
    }
    expect(await rejection(loadServices(sandbox, join(mine, "absent"), CATALOG))).to.be.instanceOf(NotAService);
  });
});
