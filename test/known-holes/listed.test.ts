import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { filesIn, root } from "../../scripts/dev/files.ts";

const read = (path: string): string => readFileSync(join(root, path), "utf8");

describe("known holes", () => {
  it("are those that SECURITY.md lists, and no others", () => {
    const played = filesIn("test/known-holes/*.test.ts").flatMap((file) =>
      [...read(file).matchAll(/\bstillOpen\(\s*(?:"([^"]+)"|'([^']+)')/g)].map(([, one, other]) => one ?? other),
    );
    const section = read("SECURITY.md").split("## Known, and open")[1]?.split("\n## ")[0] ?? "";
    const listed = section
      .split("\n")
      .flatMap((line) => (line.startsWith("| ") && !line.startsWith("| what ") ? [line.split("|")[1]?.trim()] : []));
    expect(listed.sort()).to.deep.equal(played.sort());
  });
});
