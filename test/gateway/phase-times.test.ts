import { expect } from "chai";
import { zeroHash } from "viem";
import { PhaseDurations } from "../../orchestrator/gateway/phase-times.ts";

describe("how long nodes stay in a phase", () => {
  const stays = (seconds: readonly number[], state: "EXECUTING" | "WAITING" = "EXECUTING") => {
    const durations = new PhaseDurations();
    for (const [node, stay] of seconds.entries()) {
      durations.add({ missionId: zeroHash, node, state, at: 1_000 });
      durations.add({ missionId: zeroHash, node, state: "PENDING_VERIFICATION", at: 1_000 + stay });
      durations.add({ missionId: zeroHash, node, state: "COMPLETED", at: 1_500 + stay });
    }
    return durations;
  };

  it("is judged by twice the median, and never by less than half a minute more than it", () => {
    expect(stays([100, 90, 5_000, 100, 110, 1, 100, 120]).longest("EXECUTING")).to.equal(200);
    expect(stays([0, 0, 0, 0, 0, 0, 0, 1]).longest("EXECUTING")).to.equal(30);
  });

  it("is not judged before eight have been in it, nor where nobody has to end it", () => {
    const few = stays([100, 90, 100, 100, 110, 1, 100]);
    expect(few.longest("EXECUTING")).to.equal(undefined);
    expect(few.longest("PENDING_REVIEW")).to.equal(undefined);
    expect(stays([100, 90, 100, 100, 110, 1, 100, 100], "WAITING").longest("WAITING")).to.equal(undefined);
  });

  it("goes by the last hundred: a city that became slower is measured by what it is", () => {
    expect(stays([...Array.from({ length: 500 }, () => 10), ...Array.from({ length: 100 }, () => 400)]).longest("EXECUTING")).to.equal(800);
  });

  it("begins anew with each attempt, and tells missions apart", () => {
    const durations = new PhaseDurations();
    const other = `0x${"1".repeat(64)}` as const;
    for (let attempt = 0; attempt < 8; attempt += 1) {
      const at = attempt * 10_000;
      durations.add({ missionId: zeroHash, node: 0, state: "EXECUTING", at });
      durations.add({ missionId: other, node: 0, state: "EXECUTING", at: at + 900 });
      durations.add({ missionId: zeroHash, node: 0, state: "FROZEN", at: at + 1_000 });
      durations.add({ missionId: other, node: 0, state: "FROZEN", at: at + 1_900 });
    }
    expect(durations.longest("EXECUTING")).to.equal(2_000);
  });
});
