import { expect } from "chai";
import { id, Signature, type Wallet } from "ethers";
import { network } from "hardhat";
import { AUTHORIZATION, authorize, domainOf, permit } from "../../support/authorization.ts";
import { loadCity, networkHelpers, tokens } from "../../support/city-fixture.ts";

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
    await token.permit(...(await permit(token, owner, spender.address, 5n)));
    expect(await token.allowance(owner.address, spender.address)).to.equal(5);
  });

  // EIP-3009.
  const NONCE = id("an invoice");
  const PRICE = tokens(5);

  async function rich() {
    const city = await loadCity();
    const [payer, payee, relayer] = [await city.account("payer"), await city.account("payee"), await city.account("relayer")];
    await city.token.mint(payer.address, tokens(100));
    const now = BigInt(await networkHelpers.time.latest());
    const order = { from: payer.address, to: payee.address, value: PRICE, validAfter: now - 60n, validBefore: now + 600n, nonce: NONCE };
    return { ...city, payer, payee, relayer, order };
  }

  describe("transferWithAuthorization", () => {
    it("pays by anybody's hand, once", async () => {
      const { token, payer, payee, relayer, order } = await rich();
      const args = await authorize(token, payer, "TransferWithAuthorization", order);
      await expect(token.connect(relayer).transferWithAuthorization(...args))
        .to.emit(token, "AuthorizationUsed")
        .withArgs(payer.address, NONCE);
      expect([await token.balanceOf(payee.address), await token.balanceOf(payer.address)]).to.deep.equal([PRICE, tokens(95)]);
      expect(await token.authorizationState(payer.address, NONCE)).to.equal(true);
      await expect(token.connect(relayer).transferWithAuthorization(...args))
        .to.be.revertedWithCustomError(token, "AuthorizationSpent")
        .withArgs(payer.address, NONCE);
    });

    it("is good between two seconds, both left out", async () => {
      const { token, payer, order } = await rich();
      const { time } = networkHelpers;
      const sent = async (from: number, until: number) => {
        const at = (await time.latest()) + 10;
        const window = { validAfter: BigInt(at + from), validBefore: BigInt(at + until), nonce: id(`${from} ${until}`) };
        const args = await authorize(token, payer, "TransferWithAuthorization", { ...order, ...window });
        await time.setNextBlockTimestamp(at);
        return token.transferWithAuthorization(...args);
      };
      await expect(sent(0, 5)).to.be.revertedWithCustomError(token, "AuthorizationNotYetValid");
      await expect(sent(-5, 0)).to.be.revertedWithCustomError(token, "AuthorizationExpired");
      await sent(-1, 1);
    });

    it("is about every term, and by the payer's key", async () => {
      const { token, payer, relayer, order } = await rich();
      const [from, to, value, after, before, nonce, v, r, s] = await authorize(token, payer, "TransferWithAuthorization", order);
      const lies = [
        [relayer.address, to, value, after, before, nonce, v, r, s],
        [from, relayer.address, value, after, before, nonce, v, r, s],
        [from, to, value + 1n, after, before, nonce, v, r, s],
        [from, to, value, after - 1n, before, nonce, v, r, s],
        [from, to, value, after, before + 1n, nonce, v, r, s],
        [from, to, value, after, before, id("another invoice"), v, r, s],
        [from, to, value, after, before, nonce, 99, r, s],
      ] as const;
      for (const lie of lies) {
        await expect(token.transferWithAuthorization(...lie))
          .to.be.revertedWithCustomError(token, "InvalidSignature")
          .withArgs(lie[0]);
      }
      await expect(token.connect(relayer).receiveWithAuthorization(from, relayer.address, value, after, before, nonce, v, r, s))
        .to.be.revertedWithCustomError(token, "InvalidSignature")
        .withArgs(payer.address);
    });

    it("pays nothing that is not there, and can be tried again", async () => {
      const { token, payer, payee, order } = await rich();
      const args = await authorize(token, payer, "TransferWithAuthorization", { ...order, value: tokens(101) });
      await expect(token.transferWithAuthorization(...args)).to.be.revertedWithCustomError(token, "ERC20InsufficientBalance");
      expect(await token.authorizationState(payer.address, NONCE)).to.equal(false);
      await token.mint(payer.address, tokens(1));
      await token.transferWithAuthorization(...args);
      expect(await token.balanceOf(payee.address)).to.equal(tokens(101));
    });
  });

  describe("receiveWithAuthorization", () => {
    it("is the payee's to hand in", async () => {
      const { token, payer, payee, relayer, order } = await rich();
      const args = await authorize(token, payer, "ReceiveWithAuthorization", order);
      await expect(token.connect(relayer).receiveWithAuthorization(...args))
        .to.be.revertedWithCustomError(token, "NotPayee")
        .withArgs(relayer.address);
      await token.connect(payee).receiveWithAuthorization(...args);
      expect(await token.balanceOf(payee.address)).to.equal(PRICE);
    });
  });

  describe("cancelAuthorization", () => {
    it("makes an authorisation worth nothing, by the payer's signature alone", async () => {
      const { token, payer, relayer, order } = await rich();
      const cancelled = async (by: Wallet) => {
        const message = { authorizer: payer.address, nonce: NONCE };
        const { v, r, s } = Signature.from(
          await by.signTypedData(await domainOf(token), { CancelAuthorization: AUTHORIZATION.CancelAuthorization }, message),
        );
        return token.connect(relayer).cancelAuthorization(payer.address, NONCE, v, r, s);
      };
      await expect(cancelled(relayer)).to.be.revertedWithCustomError(token, "InvalidSignature").withArgs(payer.address);
      await expect(cancelled(payer)).to.emit(token, "AuthorizationCanceled").withArgs(payer.address, NONCE);
      const args = await authorize(token, payer, "TransferWithAuthorization", order);
      await expect(token.transferWithAuthorization(...args)).to.be.revertedWithCustomError(token, "AuthorizationSpent");
      await expect(cancelled(payer)).to.be.revertedWithCustomError(token, "AuthorizationSpent");
    });
  });

  it("refuses to exist off the devnet", async () => {
    const elsewhere = await network.create({ network: "default", override: { chainId: 10 } });
    const factory = await elsewhere.ethers.getContractFactory("CityToken");
    await expect(factory.deploy()).to.be.revertedWithCustomError(factory, "NotADevnet").withArgs(10);
    await elsewhere.close();
  });
});
