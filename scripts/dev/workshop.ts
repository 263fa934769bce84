/** A copy of the project to spoil: sources in a temporary folder, the installed packages by a link. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { filesIn, root } from "./files.ts";

const FOLDERS = ["contracts", "test", "orchestrator", "deploy", "services", "scripts"];

/** @param compiled Whether what was compiled comes along. */
export function openWorkshop(name: string, compiled: boolean): string {
  const workshop = mkdtempSync(join(tmpdir(), `agentcity-${name}-`));
  for (const file of filesIn([...FOLDERS.map((folder) => `${folder}/**/*.*`), "*.json", "*.ts"])) {
    mkdirSync(dirname(join(workshop, file)), { recursive: true });
    cpSync(join(root, file), join(workshop, file));
  }
  for (const folder of compiled ? ["artifacts", "cache"] : []) {
    if (existsSync(join(root, folder))) cpSync(join(root, folder), join(workshop, folder), { recursive: true });
  }
  symlinkSync(join(root, "node_modules"), join(workshop, "node_modules"));
  return workshop;
}
