/**
 * libsecp256k1 as WebAssembly: signs four times and recovers eight times as fast as JavaScript. Looked up at run time, so that what
 * imports this also bundles for browsers; they, and agents who have not installed it, use JavaScript, whose results are the same.
 */
export const libsecp256k1 = load();

function load(): typeof import("tiny-secp256k1") | undefined {
  const modules = globalThis.process?.getBuiltinModule?.("node:module");
  if (modules === undefined) return undefined;
  const require = modules.createRequire(import.meta.url);
  try {
    return require("tiny-secp256k1");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}
