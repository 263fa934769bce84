import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { ship } from "../../console/build/shipped.ts";
import { readSite } from "../../console/build/site.ts";
import { AgentCityError } from "../../orchestrator/primitives/errors.ts";
import { sha256 } from "../../orchestrator/primitives/hash.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const CONSOLE = join(import.meta.dirname, "../../console");

describe("the console's build", () => {
  const folder = temporaryDirectory();
  const dist = () => join(folder(), "dist");

  /** A build of one page in a folder, as the sealing step leaves it. */
  function built(text: string): { readonly seal: Uint8Array; readonly page: Uint8Array } {
    const page = new TextEncoder().encode(text);
    const files = { "index.html": sha256(page).slice(2) };
    const seal = new TextEncoder().encode(JSON.stringify({ console: 1, firstLoad: 1, files }));
    mkdirSync(dist(), { recursive: true });
    writeFileSync(join(dist(), "index.html"), page);
    writeFileSync(join(dist(), "files.json"), seal);
    return { seal, page };
  }
  const name = (seal: Uint8Array) => writeFileSync(`${dist()}.sha256`, `${sha256(seal).slice(2)}\n`);
  const page = () => new TextDecoder().decode(readSite(dist()).site.get("/index.html"));
  function refusal(): string {
    try {
      readSite(dist());
    } catch (error) {
      if (error instanceof AgentCityError) return error.code;
      throw error;
    }
    return "none";
  }

  it("is shipped with the tree, the one that the tree names", () => {
    for (const file of ["dist.sha256", "dist.json.br"]) cpSync(join(CONSOLE, file), join(folder(), file));
    const { site, build } = readSite(dist());
    expect(build).to.equal(readFileSync(join(CONSOLE, "dist.sha256"), "utf8").trim());
    expect([...site.keys()]).to.include.members(["/index.html", "/face.js"]);
  });

  it("comes from the folder where that is of this version, else from what is shipped", () => {
    const { seal, page: bytes } = built("this version");
    name(seal);
    ship(
      dist(),
      new Map([
        ["files.json", seal],
        ["index.html", bytes],
      ]),
    );
    built("another version");
    expect(page()).to.equal("this version");
    rmSync(dist(), { recursive: true });
    expect(page()).to.equal("this version");
  });

  it("is refused where nothing is there, where it is of another version, and where a file was changed", () => {
    const { seal, page: bytes } = built("this version");
    name(seal);
    writeFileSync(join(dist(), "index.html"), "changed");
    expect(refusal()).to.equal("BuildChanged");
    built("another version");
    expect(refusal()).to.equal("BuildUnknown");
    rmSync(dist(), { recursive: true });
    expect(refusal()).to.equal("NotBuilt");
    writeFileSync(`${dist()}.json.br`, "damaged");
    expect(refusal()).to.equal("NotBuilt");
    ship(dist(), new Map([["files.json", seal]]));
    expect(refusal(), "a file is missing").to.equal("BuildChanged");
    ship(
      dist(),
      new Map([
        ["files.json", seal],
        ["index.html", bytes],
      ]),
    );
    expect(page()).to.equal("this version");
  });
});
