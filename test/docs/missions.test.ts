import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "chai";
import { parse } from "yaml";
import { z } from "zod";
import { filesIn, root } from "../../scripts/dev/files.ts";

const schema = z.looseObject({ input: z.looseObject({ path: z.string() }), services: z.string().optional() });

describe("sample missions", () => {
  for (const file of filesIn("missions/**/*.yaml")) {
    it(`${file}: its paths are relative to the file, and are there`, () => {
      const { input, services } = schema.parse(parse(readFileSync(join(root, file), "utf8")));
      for (const path of [input.path, ...(services === undefined ? [] : [services])])
        expect(existsSync(join(root, dirname(file), path)), path).to.equal(true);
    });
  }
});
