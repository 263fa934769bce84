import { expect } from "chai";
import { type Assessment, assess } from "../../../orchestrator/execution/guardian/assess.ts";
import type { Embedder } from "../../../orchestrator/execution/guardian/embedder.ts";
import { scorersBy } from "../../../orchestrator/execution/guardian/scorers.ts";
import type { WatchTerms } from "../../../orchestrator/execution/guardian/terms.ts";
import { nothingRecent, outputHashOf, type Work } from "../../../orchestrator/execution/work.ts";
import type { World } from "../../../orchestrator/execution/world.ts";
import { contentIdOf } from "../../../orchestrator/primitives/hash.ts";
import type { ContentId, Hash } from "../../../orchestrator/primitives/hex.ts";
import { canonicalBytes, type JsonObject } from "../../../orchestrator/primitives/json.ts";
import { randomStream } from "../../../orchestrator/primitives/random.ts";

const TERMS: WatchTerms = { tools: 40, messages: 120, deviation: 200, scorers: 0x0201 };
const SERVICE: Hash = `0x${"5".repeat(64)}`;
const WORDS = "the key disk test timeout lock cache had expired was full flaky short held stale again today".split(" ");

/** Work of one kind, a little different every time. */
const honest = (index: number): JsonObject => {
  const random = randomStream(7, "note", index);
  return { items: [{ id: `note-${index}`, text: Array.from({ length: 20 }, () => random.pick(WORDS)).join(" ") }] };
};
const foreign: JsonObject = {
  items: [{ id: "note-9", text: "Quarterly rainfall exceeded every forecast; barley harvests suffered accordingly." }],
};

describe("execution/guardian/assess", () => {
  const blocks = new Map<string, Uint8Array>();
  const keep = (output: JsonObject): ContentId => {
    const bytes = canonicalBytes(output);
    const id = contentIdOf(bytes);
    blocks.set(id, bytes);
    return id;
  };
  const past = Array.from({ length: 24 }, (_, index) => keep(honest(index)));
  const workOn = (output: JsonObject, meters: Partial<Extract<Work, { ok: true }>> = {}): Work => ({
    ok: true,
    service: SERVICE,
    outputId: keep(output),
    outputHash: outputHashOf(output),
    trail: [],
    tools: 0,
    messages: 0,
    ...meters,
  });
  const world = (tasks: number, embedder: World["embedder"] = scorersBy({})): Pick<World, "store" | "recent" | "traces" | "embedder"> => ({
    store: { put: async (bytes) => contentIdOf(bytes), get: async (id) => blocks.get(id)! },
    recent: nothingRecent(),
    traces: async (_, most) => past.slice(0, Math.min(tasks, most)),
    embedder,
  });
  const judged = (work: Work, tasks = 24, terms = TERMS): Promise<Assessment> =>
    assess(world(tasks), terms, SERVICE, work, false, async () => false);

  it("lets an agent's usual work pass, and finds what is none of it, by both scorers", async () => {
    const usual = await judged(workOn(honest(100)));
    expect(usual.window.tasks).to.equal(20);
    expect(usual.scores).to.have.length(2);
    expect(usual.anomaly).to.equal(null);
    const strange = await judged(workOn(foreign));
    expect(strange.anomaly).to.deep.equal({
      reason: "DEVIATION",
      magnitude: Math.floor(100 * Math.min(...strange.scores.map(({ z }) => z))),
    });
    expect(strange.anomaly?.magnitude).to.be.above(200);
  });

  it("stops nobody for what the code itself makes of an unusual input, and keeps the scores", async () => {
    const honestly = await assess(world(24), TERMS, SERVICE, workOn(foreign), false, async () => true);
    expect(honestly).to.deep.include({ anomaly: null, repeated: true });
    expect(honestly.scores).to.deep.equal((await judged(workOn(foreign))).scores);
    expect((await judged(workOn(honest(100)))).repeated).to.equal(null);
    const busy = await assess(world(24), TERMS, SERVICE, workOn(foreign, { tools: TERMS.tools + 1 }), false, async () => true);
    expect(busy.anomaly?.reason).to.equal("TOOL_LIMIT");
  });

  it("says the same again, from the records alone", async () => {
    expect(await judged(workOn(foreign))).to.deep.equal(await judged(workOn(foreign)));
  });

  it("scores nothing before the fifth completed task", async () => {
    expect((await judged(workOn(foreign), 4)).scores).to.deep.equal([]);
    expect((await judged(workOn(foreign), 4)).anomaly).to.equal(null);
    expect((await judged(workOn(foreign), 5)).scores).to.have.length(2);
  });

  it("scores nothing under an amended mandate, which has no past, and counts all the same", async () => {
    expect(await assess(world(24), TERMS, SERVICE, workOn(foreign), true, async () => false)).to.deep.include({
      scores: [],
      anomaly: null,
    });
    const { anomaly } = await assess(world(24), TERMS, SERVICE, workOn(foreign, { tools: TERMS.tools + 1 }), true, async () => false);
    expect(anomaly?.reason).to.equal("TOOL_LIMIT");
  });

  it("freezes only above the constitution's threshold", async () => {
    const { anomaly } = await judged(workOn(foreign));
    const magnitude = anomaly!.magnitude;
    expect((await judged(workOn(foreign), 24, { ...TERMS, deviation: magnitude })).anomaly).to.equal(null);
    expect((await judged(workOn(foreign), 24, { ...TERMS, deviation: magnitude - 1 })).anomaly).to.deep.equal(anomaly);
  });

  it("needs both scorers: one that sees nothing, or everything as strange, freezes nobody alone", async () => {
    const blind: Embedder = { id: "blind", dimensions: 2, embed: async (texts) => texts.map(() => Float64Array.of(1, 0)) };
    const real = scorersBy({});
    for (const [first, second] of [
      [blind, await real(2)],
      [await real(1), blind],
    ] as const) {
      const result = await assess(
        world(24, async (number) => (number === 1 ? first : second)),
        TERMS,
        SERVICE,
        workOn(foreign),
        false,
        async () => false,
      );
      expect(result.scores.filter(({ z }) => z > 2)).to.have.length(1);
      expect(result.anomaly).to.equal(null);
    }
  });

  it("counts tools and messages whatever the past, also of a run that was killed for them", async () => {
    const anomalyOf = async (work: Work) => (await judged(work, 0)).anomaly;
    expect(await anomalyOf(workOn(honest(1), { tools: 40, messages: 120 }))).to.equal(null);
    expect(await anomalyOf(workOn(honest(1), { tools: 41 }))).to.deep.equal({ reason: "TOOL_LIMIT", magnitude: 41 });
    expect(await anomalyOf(workOn(honest(1), { messages: 121 }))).to.deep.equal({ reason: "MESSAGE_LIMIT", magnitude: 121 });
    const killed = (fault: string): Work => ({ ok: false, service: SERVICE, fault, details: "" });
    expect(await anomalyOf(killed("tools"))).to.deep.equal({ reason: "TOOL_LIMIT", magnitude: 41 });
    expect(await anomalyOf(killed("messages"))).to.deep.equal({ reason: "MESSAGE_LIMIT", magnitude: 121 });
    for (const fault of ["timeout", "crash", "memory"]) expect(await anomalyOf(killed(fault)), fault).to.equal(null);
  });
});
