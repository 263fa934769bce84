import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { authorityOf, noticesOf } from "../../scripts/dev/authority-page.ts";
import { root } from "../../scripts/dev/files.ts";
import { pages } from "../../scripts/dev/generate-docs.ts";

describe("generated documentation", () => {
  it("is current", async () => {
    for (const [path, text] of await pages()) expect(readFileSync(join(root, path), "utf8"), path).to.equal(text);
  });

  it("reads the notice above a function, over several lines and without other tags", () => {
    const source = [
      "    /// @dev Not this.",
      "    /// @notice Does it",
      "    /// twice. Caller: governor.",
      "    /// @param amount Units.",
      "    function act(uint256 amount) external;",
      "    function silent() external;",
    ].join("\n");
    expect([...noticesOf(source)]).to.deep.equal([["act", "Does it twice. Caller: governor."]]);
  });

  it("finds who may call, and nothing where nothing is said", () => {
    expect(authorityOf("a()", "Ends it. Anyone with min(rules.regulators, n) signatures. At most once.")).to.deep.equal({
      signature: "a()",
      caller: "Anyone with min(rules.regulators, n) signatures",
      does: "Ends it. At most once.",
    });
    expect(authorityOf("b()", "Adds stake from the caller.").caller).to.equal(undefined);
  });
});
