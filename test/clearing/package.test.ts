import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import { build } from "esbuild";
import { z } from "zod";
import { root } from "../../scripts/dev/files.ts";

/** What the library may bring along. */
const ALLOWED = ["@noble/curves", "@noble/hashes", "canonicalize", "multiformats", "zod"];
const FOLDERS = ["orchestrator/clearing", "orchestrator/primitives", "orchestrator/protocol", "orchestrator/rules"];

async function bundle(source: string) {
  return await build({
    stdin: { contents: source, resolveDir: root, loader: "ts" },
    bundle: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    write: false,
    metafile: true,
    logLevel: "silent",
  });
}

describe("agentcity/clearing", () => {
  it("brings no chain, no wallet and no graph along, and nothing of Node", async () => {
    const { metafile } = await bundle(`export * from "./orchestrator/clearing/index.ts";`);
    const inputs = Object.entries(Object.values(metafile.outputs)[0]!.inputs).flatMap(([path, { bytesInOutput }]) =>
      bytesInOutput > 0 ? [path] : [],
    );
    const packages = new Set(inputs.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []));
    expect([...packages].filter((name) => !ALLOWED.includes(name))).to.deep.equal([]);
    const own = inputs.filter((path) => !path.includes("node_modules/") && path !== "<stdin>");
    expect(own.filter((path) => !FOLDERS.some((folder) => path.startsWith(`${folder}/`)))).to.deep.equal([]);
    expect(own.some((path) => path === "orchestrator/clearing/ingest.ts")).to.be.true;
  });

  it("clears from the bundle alone", async () => {
    const folder = mkdtempSync(join(tmpdir(), "agentcity-clearing-"));
    try {
      const { outputFiles } = await bundle(`
        import { extendAdmissibility, RAILS_ADMISSIBILITY, signer, verifySignature, bindObligation, deployment, registryOf } from "./orchestrator/clearing/index.ts";
        const ada = signer("ada", "secp256k1", new Uint8Array(32).fill(7));
        const message = new Uint8Array([1, 2, 3]);
        const refused = bindObligation({}, deployment(registryOf([])));
        export const facts = {
          meet: RAILS_ADMISSIBILITY.meet("WIT", "REC"),
          extended: extendAdmissibility([["WIT", "NOTARY"], ["NOTARY", "ATT"]]).elements.length,
          signed: verifySignature(ada.key, message, ada.sign(message)),
          guard: refused.ok ? "bound" : refused.refusals[0].guard,
        };
      `);
      const file = join(folder, "bundle.mjs");
      writeFileSync(file, outputFiles[0]!.contents);
      const loaded: unknown = await import(pathToFileURL(file).href);
      const { facts } = z.object({ facts: z.unknown() }).parse({ ...z.looseObject({}).parse(loaded) });
      expect(facts).to.deep.equal({ meet: "SIGN", extended: 7, signed: true, guard: "OBLIGATION_SHAPE" });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
