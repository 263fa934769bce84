import { expect } from "chai";
import { loadFixture, networkHelpers } from "../support/city-fixture.ts";

describe("a fixture", () => {
  it("is gone back to in time as well: its next block is a second after its last, not as much later as the test is", async () => {
    const { time } = networkHelpers;
    const begin = () => networkHelpers.mine();
    await loadFixture(begin);
    const at = await time.latest();
    for (let visit = 0; visit < 5; visit += 1) {
      await loadFixture(begin);
      await networkHelpers.mine();
      expect(await time.latest()).to.equal(at + 1);
    }
  });
});
