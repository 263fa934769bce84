/** Where each contract of a city keeps what in its storage, as the compiler lays it out; part of `npm run abi`. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Layout, StorageType } from "../../orchestrator/chain/storage.ts";
import { contractAbis } from "../../orchestrator/client/contracts.ts";
import { filesIn, root } from "./files.ts";
import { compileSources } from "./solidity-ast.ts";

const placeSchema = z.object({ label: z.string(), slot: z.string(), offset: z.int(), type: z.string() });
type Place = z.infer<typeof placeSchema>;
const typeSchema = z.object({
  encoding: z.enum(["inplace", "mapping", "dynamic_array", "bytes"]),
  label: z.string(),
  numberOfBytes: z.string(),
  key: z.string().optional(),
  value: z.string().optional(),
  base: z.string().optional(),
  members: z.array(placeSchema).optional(),
});
const layoutSchema = z.object({ storage: z.array(placeSchema), types: z.record(z.string(), typeSchema).nullable() });
const outputSchema = z.object({
  contracts: z.record(z.string(), z.record(z.string(), z.object({ storageLayout: layoutSchema.optional() }))),
});

/** Types by their names in Solidity: the compiler's carry numbers that change with any source. */
function layoutOf({ storage, types }: z.infer<typeof layoutSchema>): Layout {
  const named = types ?? {};
  const name = (type: string) => named[type]?.label ?? type;
  const placeOf = ({ label, slot, offset, type }: Place) => [label, Number(slot), offset, name(type)] as const;
  const typeOf = ({ encoding, numberOfBytes, key, value, base, members }: z.infer<typeof typeSchema>): StorageType => ({
    ...{ encoding, bytes: Number(numberOfBytes) },
    ...(key === undefined || value === undefined ? {} : { key: name(key), value: name(value) }),
    ...(base === undefined ? {} : { base: name(base) }),
    ...(members === undefined ? {} : { members: members.map(placeOf) }),
  });
  return {
    places: storage.map(placeOf),
    types: Object.fromEntries(
      Object.values(named)
        .map((type) => [type.label, typeOf(type)] as const)
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    ),
  };
}

/** Generated text: a type a line. */
export function layoutsText(): string {
  const files = new Map(filesIn("contracts/**/*.sol").map((path) => [path, readFileSync(join(root, path), "utf8")]));
  const { contracts } = outputSchema.parse(compileSources(files, { "*": { "*": ["storageLayout"] } }));
  const found = new Map(
    Object.values(contracts).flatMap((own) => Object.entries(own).map(([name, { storageLayout }]) => [name, storageLayout])),
  );
  const texts = Object.keys(contractAbis).map((name) => {
    const { places, types } = layoutOf(layoutSchema.parse(found.get(name) ?? { storage: [], types: null }));
    const lines = Object.entries(types).map(([label, type]) => `      ${JSON.stringify(label)}: ${JSON.stringify(type)},\n`);
    return `  ${name}: {\n    places: ${JSON.stringify(places)},\n    types: {\n${lines.join("")}    },\n  },\n`;
  });
  return [
    "// Generated from the contracts by `npm run abi`. Do not edit.\n",
    'import type { Layout } from "../storage.ts";\n\n',
    `export const storageLayouts = {\n${texts.join("")}} as const satisfies Record<string, Layout>;\n`,
  ].join("");
}
