import { rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { addressSchema } from "../primitives/address.ts";
import { writeFileAtomic } from "../primitives/files.ts";
import { canonicalJson } from "../primitives/json.ts";
import { readStateFile } from "../primitives/state-file.ts";
import { livingOwner } from "./lock.ts";

/** What another process needs to use a running city: `.agentcity/<network>/city.json`. */
const cityFileSchema = z.strictObject({
  pid: z.number().int().positive(),
  rpcUrl: z.url(),
  apiUrl: z.url().nullable(),
  chainId: z.number().int().positive(),
  /** Contract name → address. */
  addresses: z.record(z.string(), addressSchema),
});
export type CityFile = z.infer<typeof cityFileSchema>;

export function writeCityFile(dir: string, city: CityFile): void {
  writeFileAtomic(join(dir, "city.json"), `${canonicalJson(cityFileSchema.parse(city))}\n`);
}

export function removeCityFile(dir: string): void {
  rmSync(join(dir, "city.json"), { force: true });
}

/** The city running in another process, if any; a file left by a dead owner is ignored. */
export function findLivingCity(dir: string): CityFile | undefined {
  const owner = livingOwner(dir);
  if (owner === undefined) return undefined;
  const city = readStateFile(
    join(dir, "city.json"),
    cityFileSchema,
    "stop the city's process and run its command again: it rewrites the file",
  );
  return owner.pid === city?.pid ? city : undefined;
}
