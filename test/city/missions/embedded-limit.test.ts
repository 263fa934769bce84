import { expect } from "chai";
import { zeroHash } from "viem";
import { EMBEDDED_BLOCKS, requireShortChain } from "../../../orchestrator/city/missions/embedded-limit.ts";
import { thrown } from "../../support/rejection.ts";

describe("the length of an embedded chain", () => {
  const said: string[] = [];
  const cityAt = (blocks: number, kind: "embedded" | "rpc" = "embedded") => ({
    chain: { kind, head: () => ({ number: BigInt(blocks), hash: zeroHash }) },
    progress: (line: string) => void said.push(line),
  });
  beforeEach(() => said.splice(0));

  it("is said from a number of blocks on, and lets no mission begin from another on", () => {
    requireShortChain(cityAt(EMBEDDED_BLOCKS.warned - 1));
    expect(said).to.deep.equal([]);
    requireShortChain(cityAt(EMBEDDED_BLOCKS.warned));
    requireShortChain(cityAt(EMBEDDED_BLOCKS.most - 1));
    expect(said).to.have.length(2);
    expect(said[0]).to.contain("2000 blocks").and.to.contain("at 10000");
    expect(thrown(() => requireShortChain(cityAt(EMBEDDED_BLOCKS.most)))).to.include({ code: "ChainFull" });
  });

  it("is nothing to a chain that has a process of its own", () => {
    requireShortChain(cityAt(1_000_000, "rpc"));
    expect(said).to.deep.equal([]);
  });
});
