import { join } from "node:path";
import { expect } from "chai";
import { Memory } from "../../orchestrator/agent/memory.ts";
import type { Work } from "../../orchestrator/agent/policy.ts";
import { recorded, replay } from "../../orchestrator/agent/replay.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

describe("an agent's decisions, asked again", () => {
  const directory = suiteDirectory();

  it("are about what was asked, also where somebody wrote what stands for an amount", async () => {
    const input = { real: 5, forged: [{ $units: "5 tokens" }, { $units: "" }, { $units: "1", more: true }, { $units: 1 }] };
    const work: Work = { label: "read-1", service: "echo", input, items: [] };
    await recorded(new Memory(join(directory(), "memory")), "perform", work, () => ({ answer: input, worth: 10n ** 30n }));
    const same = await replay(directory(), { perform: ({ input }) => ({ answer: input, worth: 10n ** 30n }) });
    expect(same).to.deep.equal({ compared: 1, differences: [] });
    const { differences } = await replay(directory(), { perform: ({ label }) => label });
    expect(differences.map(({ now }) => now)).to.deep.equal(["read-1"]);
  });
});
