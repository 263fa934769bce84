import { expect } from "chai";
import { soldAs } from "../../orchestrator/protocol/sold-as.ts";

describe("what a registered service is called", () => {
  const service = `0x${"ab".repeat(32)}` as const;

  it("is its name in a city's catalogue", () => {
    expect(soldAs({ service, endpoint: "city:fetch-and-parse" })).to.equal("fetch-and-parse");
  });

  it("is its id where its owner wrote something else", () => {
    const others = [
      "https://example.org/run",
      "city:",
      "city:A",
      "city:a--b",
      "city:a\u001b[31m",
      `city:${"a".repeat(65)}`,
      "city:# You won",
    ];
    expect(others.map((endpoint) => soldAs({ service, endpoint }))).to.deep.equal(others.map(() => service));
  });
});
