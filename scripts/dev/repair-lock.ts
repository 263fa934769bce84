/**
 * Puts package-lock.json into the state in which `npm ci` works on every supported platform and Node.
 *
 * Two faults appear each time the lock is regenerated:
 * - a registry without the packages of foreign platforms makes `npm install` leave them out, and `npm ci` then refuses the lock;
 * - EDR states `engines: node >= 22`, so npm on Node 20 silently skips its platform package, although the Node that runs it is
 *   the `node` dependency of this project, never the ambient one.
 *
 * usage: npm run lock:repair [-- --check]
 */
import { readFileSync, writeFileSync } from "node:fs";
import { z } from "zod";

const LockedPackage = z.looseObject({
  version: z.string().optional(),
  dev: z.boolean().optional(),
  engines: z.record(z.string(), z.string()).optional(),
  optionalDependencies: z.record(z.string(), z.string()).optional(),
});
const Lock = z.looseObject({ packages: z.record(z.string(), LockedPackage) });
export type Lock = z.infer<typeof Lock>;
type LockedPackage = z.infer<typeof LockedPackage>;
/** Checked, not parsed: parsing would reorder the keys of the file. */
const isLock = (value: unknown): value is Lock => Lock.safeParse(value).success;

const SYSTEMS = ["aix", "android", "darwin", "freebsd", "linux", "netbsd", "openbsd", "openharmony", "sunos", "win32"];
const CPUS: Record<string, string> = {
  amd64: "x64",
  arm: "arm",
  arm64: "arm64",
  ia32: "ia32",
  loong64: "loong64",
  mips64el: "mips64el",
  ppc64: "ppc64",
  riscv64: "riscv64",
  s390x: "s390x",
  x64: "x64",
};
const LIBCS: Record<string, string> = { gnu: "glibc", musl: "musl" };

/** `os`, `cpu` and `libc` as platform packages write them in their names; npm skips the package elsewhere. */
export function platformOf(name: string): { os: string[]; cpu: string[]; libc?: string[] } | undefined {
  const parts = name.split(/[-/]/);
  const os = SYSTEMS.find((system) => parts.includes(system));
  const cpu = Object.keys(CPUS).find((candidate) => parts.includes(candidate));
  if (os === undefined || cpu === undefined) return undefined;
  const libc = Object.keys(LIBCS).find((candidate) => parts.includes(candidate));
  const platform = { os: [os], cpu: [CPUS[cpu] ?? cpu] };
  return libc === undefined ? platform : { ...platform, libc: [LIBCS[libc] ?? libc] };
}

/** The lock's path at which `name` is found from the package at `from`, by Node's lookup; undefined if it is absent. */
function resolve(lock: Lock, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("node_modules/") - 1))) {
    const path = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`;
    if (path in lock.packages) return path;
    if (folder === "") return undefined;
  }
}

/** A copy of `lock` with both faults removed; throws on an absent optional package that names no platform. */
export function repairLock(lock: Lock): Lock {
  const packages: Record<string, LockedPackage> = {};
  for (const [path, entry] of Object.entries(lock.packages)) {
    const { engines, ...rest } = entry;
    packages[path] = path.includes("node_modules/@nomicfoundation/edr") || engines === undefined ? rest : entry;
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      if (resolve(lock, path, name) !== undefined) continue;
      const platform = platformOf(name);
      if (platform === undefined) throw new Error(`${path}: optional ${name}@${version} is absent and names no platform`);
      const dev = entry.dev === true ? { dev: true } : {};
      packages[`node_modules/${name}`] = { version, ...platform, ...dev, optional: true };
    }
  }
  const sorted = Object.entries(packages).sort(([a], [b]) => a.localeCompare(b, "en"));
  return { ...lock, packages: Object.fromEntries(sorted) };
}

/** The lock file's text after repair. */
export function repairText(text: string): string {
  const lock: unknown = JSON.parse(text);
  if (!isLock(lock)) throw new Error("package-lock.json is not a version 3 lock file");
  return `${JSON.stringify(repairLock(lock), null, 2)}\n`;
}

if (import.meta.main) {
  const file = new URL("../../package-lock.json", import.meta.url);
  const before = readFileSync(file, "utf8");
  const after = repairText(before);
  if (process.argv.includes("--check")) {
    if (before !== after) {
      console.error("package-lock.json needs `npm run lock:repair`");
      process.exitCode = 1;
    }
  } else if (before !== after) {
    writeFileSync(file, after);
  }
}
