import { expect } from "chai";
import { Signature } from "ethers";
import { network } from "hardhat";
import { loadCity, tokens } from "../../support/city-fixture.ts";

const CAP = tokens(1_000_000_000);

describe("CityToken", () => {
  describe("mint", () => {
    it("belongs to the deployer, up to the cap, in units of six decimals", async () => {
      const { token, account, deployer } = await loadCity();
      const stranger = await account("stranger");
      expect(await token.decimals()).to.equal(6);
      expect(await token.cap()).to.equal(CAP);
      await expect(token.connect(stranger).mint(stranger.address, 1))
        .to.be.revertedWithCustomError(token, "NotMinter")
        .withArgs(stranger.address);
      await token.mint(deployer.address, CAP);
      await expect(token.mint(deployer.address, 1))
        .to.be.revertedWithCustomError(token, "ERC20ExceededCap")
        .withArgs(CAP + 1n, CAP);
    });
  });

  it("takes a permit", async () => {
    const { token, account } = await loadCity();
    const [owner, spender] = [await account("owner"), await account("spender")];
    const message = { owner: owner.address, spender: spender.address, value: 5n, nonce: 0n, deadline: 2n ** 40n };
    const domain = { name: "AgentCity Test Dollar", version: "1", chainId: 31337n, verifyingContract: await token.getAddress() };
    const types = {
      Permit: [
        { name: "owner", type: "address" },
        { name: "spender", type: "address" },
        { name: "value", type: "uint256" },
        { name: "nonce", type: "uint256" },
        { name: "deadline", type: "uint256" },
      ],
    };
    const { v, r, s } = Signature.from(await owner.signTypedData(domain, types, message));
    await token.permit(owner.address, spender.address, 5n, message.deadline, v, r, s);
    expect(await token.allowance(owner.address, spender.address)).to.equal(5);
  });

  it("refuses to exist off the devnet", async () => {
    const elsewhere = await network.create({ network: "default", override: { chainId: 10 } });
    const factory = await elsewhere.ethers.getContractFactory("CityToken");
    await expect(factory.deploy()).to.be.revertedWithCustomError(factory, "NotADevnet").withArgs(10);
    await elsewhere.close();
  });
});
