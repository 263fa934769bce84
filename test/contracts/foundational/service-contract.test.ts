import { expect } from "chai";
import { id, type Wallet, ZeroAddress, ZeroHash } from "ethers";
import { type City, keyOf, loadCity } from "../../support/city-fixture.ts";

const CODE = id("code");
const SCHEMA = id("schema");
const LIMITS = id("limits");

describe("ServiceContract", () => {
  let city: City;
  let contract: City["services"];
  let agent: Wallet;

  beforeEach(async () => {
    city = await loadCity();
    contract = city.services;
    ({ agent } = await city.register("owner"));
  });

  const record = (over: Partial<{ codeHash: string; schemaHash: string; endpoint: string; constraints: string }> = {}) => ({
    owner: agent.address,
    codeHash: CODE,
    schemaHash: SCHEMA,
    endpoint: "bundle:1",
    constraints: LIMITS,
    ...over,
  });

  async function authority(message: { signer?: Wallet; codeHash?: string } = {}) {
    const deadline = (await city.now()) + 60n;
    const { owner, ...fields } = record(message.codeHash === undefined ? {} : { codeHash: message.codeHash });
    const signed = { agent: owner, ...fields, deadline };
    const signature = await city.sign("RegisterService", city.addresses.SERVICES, signed, message.signer ?? agent);
    return { agent: owner, deadline, signature };
  }

  const register = (auth: { agent: string; deadline: bigint; signature: string }, codeHash = CODE) =>
    contract.registerService(codeHash, SCHEMA, "bundle:1", LIMITS, auth);

  describe("registerService", () => {
    it("stores the owner under an id that commits to the whole record", async () => {
      const service = await contract.idOf(record());
      await expect(register(await authority()))
        .to.emit(contract, "ServiceRegistered")
        .withArgs(service, agent.address, CODE, SCHEMA, "bundle:1", LIMITS);
      expect(await contract.ownerOf(service)).to.equal(agent.address);
      expect(await contract.isLive(service)).to.equal(true);
      const others = [{ codeHash: id("x") }, { schemaHash: id("x") }, { endpoint: "bundle:2" }, { constraints: id("x") }];
      for (const other of others) expect(await contract.idOf(record(other))).not.to.equal(service);
    });

    it("takes the agent as caller, and nobody else without its signature", async () => {
      const deadline = (await city.now()) + 60n;
      const direct = contract.connect(agent);
      await direct.registerService(CODE, SCHEMA, "bundle:1", LIMITS, { agent: agent.address, deadline, signature: "0x" });
      await expect(register({ agent: agent.address, deadline, signature: "0x" }, id("other")))
        .to.be.revertedWithCustomError(contract, "InvalidSignature")
        .withArgs(agent.address);
    });

    it("refuses a foreign signature, a late one, and one over other code", async () => {
      const invalid = async (auth: Awaited<ReturnType<typeof authority>>, code = CODE) =>
        expect(register(auth, code)).to.be.revertedWithCustomError(contract, "InvalidSignature").withArgs(agent.address);
      await invalid(await authority({ signer: keyOf("stranger") }));
      await invalid(await authority(), id("other"));
      const late = { ...(await authority()), deadline: (await city.now()) - 1n };
      await expect(register(late)).to.be.revertedWithCustomError(contract, "Expired").withArgs(late.deadline);
    });

    it("refuses a second registration, by the same signature or another, and no code", async () => {
      const auth = await authority();
      await register(auth);
      for (const again of [auth, await authority()])
        await expect(register(again))
          .to.be.revertedWithCustomError(contract, "AlreadyRegistered")
          .withArgs(await contract.idOf(record()));
      await expect(register(await authority({ codeHash: ZeroHash }), ZeroHash)).to.be.revertedWithCustomError(contract, "ZeroCodeHash");
    });
  });

  describe("verifyCodeHash", () => {
    it("says yes to the registered record with its live hash only", async () => {
      const service = await contract.idOf(record());
      expect(await contract.verifyCodeHash(service, record(), CODE)).to.equal(false);
      await register(await authority());
      expect(await contract.verifyCodeHash(service, record(), CODE)).to.equal(true);
      expect(await contract.verifyCodeHash(service, record(), id("tampered"))).to.equal(false);
      expect(await contract.verifyCodeHash(service, record({ codeHash: id("x") }), id("x"))).to.equal(false);
    });
  });

  describe("deprecateService", () => {
    it("belongs to the owner and leaves the id taken", async () => {
      const service = await contract.idOf(record());
      await expect(contract.deprecateService(service)).to.be.revertedWithCustomError(contract, "UnknownService").withArgs(service);
      await register(await authority());
      await expect(contract.deprecateService(service))
        .to.be.revertedWithCustomError(contract, "NotOwner")
        .withArgs(service, city.deployer.address);
      await expect(contract.connect(agent).deprecateService(service)).to.emit(contract, "ServiceDeprecated").withArgs(service);
      expect(await contract.isLive(service)).to.equal(false);
      expect(await contract.verifyCodeHash(service, record(), CODE)).to.equal(true);
      await expect(register(await authority())).to.be.revertedWithCustomError(contract, "AlreadyRegistered");
    });
  });

  it("knows nothing of what was never registered", async () => {
    expect(await contract.ownerOf(id("nothing"))).to.equal(ZeroAddress);
    expect(await contract.isLive(id("nothing"))).to.equal(false);
  });
});
