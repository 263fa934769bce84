import { expect } from "chai";
import { id, ZeroAddress, ZeroHash } from "ethers";
import { ethers } from "../../support/city-fixture.ts";

describe("NonEmptyOutput", () => {
  it("lets any output pass but none", async () => {
    const predicate = await ethers.deployContract("NonEmptyOutput");
    expect(await predicate.allows(ZeroAddress, 0, id("output"))).to.equal(true);
    expect(await predicate.allows(ZeroAddress, 0, ZeroHash)).to.equal(false);
  });
});
