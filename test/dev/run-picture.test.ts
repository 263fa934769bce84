import { expect } from "chai";
import { runPicture } from "../../scripts/dev/run-picture.ts";
import { MONEY, node, outcomeLike } from "../support/outcome.ts";

describe("the picture of a run", () => {
  it("shows every node, marks what failed, and says where the deposit went", () => {
    const outcome = outcomeLike({ nodes: [node("read-1"), node("rank-1", { end: "failed", state: "FAILED" })], money: MONEY });
    const drawn = runPicture(outcome);
    expect(drawn).to.include(">✓ read-1<").and.to.include(">✗ rank-1<");
    expect(drawn).to.include(">executors 170.00<").and.to.include(">back to the sponsor 120.00<").and.not.include(">discount");
    const widths = [...drawn.matchAll(/width="([\d.]+)" height="18"/g)].map(([, width]) => Number(width));
    expect(Math.round(widths.reduce((sum, width) => sum + width, 0))).to.equal(812);
    expect(runPicture(outcome)).to.equal(drawn);
  });

  it("escapes what agents and sponsors write", () => {
    const name = `<script>alert("1")</script>`;
    const drawn = runPicture(outcomeLike({ name, nodes: [node("<b>&")] }));
    expect(drawn).to.not.include("<script>").and.not.include("<b>");
    expect(drawn).to.include("✓ &#60;b&#62;&#38;<");
  });

  it("draws an order that made no law", () => {
    const drawn = runPicture(outcomeLike({ nodes: [], human: [], winner: null }));
    expect(drawn).to.include("</svg>").and.not.include("NaN").and.not.include("undefined");
  });
});
