import { expect } from "chai";
import jsonld from "jsonld";
import { canonicalJson } from "../../orchestrator/primitives/json.ts";
import { ContextUnknown, loadContext, MISSION_CONTEXT, missionContext } from "../../orchestrator/protocol/mission-context.ts";
import { missionDocumentSchema } from "../../orchestrator/protocol/mission-document.ts";
import { rejection } from "../support/rejection.ts";
import { specification } from "../support/specification.ts";

/** In safe mode whatever would be dropped for want of a meaning is an error. */
const options = { documentLoader: loadContext, safe: true };

describe("a mission specification as JSON-LD", () => {
  it("has no term that the published context does not define", async () => {
    const [expanded] = await jsonld.expand(specification, options);
    for (const name of namesIn(expanded)) expect(name).to.match(/^(@\w+|https?:\/\/.+)$/);
    expect(JSON.stringify(expanded)).to.contain("ns/mission/v1#evidenceClass/ATT").and.to.contain("ns/mission/v1#risk/MEDIUM");
  });

  it("means exactly what it says: expanded and compacted, it is the same document", async () => {
    const { "@context": context } = missionContext;
    const compacted = await jsonld.compact(await jsonld.expand(specification, options), { "@context": context }, options);
    const stated = JSON.parse(canonicalJson(specification), (_, value: unknown) => (value === null ? undefined : value));
    expect({ ...compacted, "@context": MISSION_CONTEXT }).to.deep.equal(stated);
  });

  it("gives no meaning to a key of one's own, nor does the schema let one in", async () => {
    const extra = { ...specification, bytecode: "0xff" };
    expect((await rejection(jsonld.expand(extra, options))).message).to.contain("Safe mode validation error");
    expect(missionDocumentSchema.safeParse(extra).success).to.equal(false);
  });

  it("loads no other context, and nothing from the network", async () => {
    const other = { ...specification, "@context": "https://example.org/context" };
    expect(await rejection(loadContext("https://example.org/context"))).to.be.instanceOf(ContextUnknown);
    await rejection(jsonld.expand(other, options));
  });
});

/** Every key, and every value that stands for a thing. */
function namesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    key,
    ...(key === "@id" || key === "@type" ? [inner].flat().filter((each) => typeof each === "string") : namesIn(inner)),
  ]);
}
