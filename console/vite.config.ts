import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

/** What only Node has would be left out, and the page would break when it is opened: the build fails instead, and names who imports it. */
const nothingOfNode: Plugin = {
  name: "nothing-of-node",
  enforce: "pre",
  resolveId(id, importer) {
    if (id.startsWith("node:")) this.error(`${importer ?? "a page"} imports ${id}, which no browser has`);
  },
};

/** Nothing of the machine, the time or the folder goes into the files: two builds of one commit are the same bytes. */
export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  plugins: [nothingOfNode, react()],
  // The city's sources find another copy of it beside them.
  resolve: { dedupe: ["viem"] },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2023",
    sourcemap: false,
    // Inlined files would need data: in the policy that the server sends.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 2_000,
    // What is built in under which licence: ELK's asks that whoever hands it on says where its source is.
    license: { fileName: "licences.txt" },
  },
  worker: { format: "es", plugins: () => [nothingOfNode] },
});
