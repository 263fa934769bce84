import { expect } from "chai";
import { id, type Signer, type Wallet, ZeroAddress } from "ethers";
import { parameterIndex } from "../../../orchestrator/protocol/parameters.ts";
import { giveNumbers } from "../../support/census.ts";
import {
  AMENDMENT_NOTICE,
  type City,
  ethers,
  INSTITUTIONS,
  Kind,
  keyOf,
  loadCity,
  networkHelpers,
  Office,
  tokens,
} from "../../support/city-fixture.ts";
import { turnHostile } from "../../support/hostile-token.ts";
import { outcomeOf } from "../../support/outcomes.ts";

const WHY = id("why");
const UNBONDING = 1_209_600;
const FLOOR = 100;

describe("ProducerContract", () => {
  let city: City;
  let contract: City["producers"];

  beforeEach(async () => {
    city = await loadCity();
    contract = city.producers;
  });

  /** The binding's parts, money ready, but not yet registered. */
  async function candidate(options: Parameters<City["binding"]>[2] = {}) {
    const agent = await city.account("candidate");
    const principal = options.principal ?? (await city.account("candidate's principal"));
    const signed = await city.binding(agent, principal, options);
    await city.fund(principal, city.addresses.PRODUCERS, signed.message.stake);
    return { agent, principal, ...signed };
  }

  const sum = async () => (await city.treasury.freeBalance()) + (await city.treasury.insuranceBalance());

  describe("register", () => {
    it("numbers a million principals, and no more", async () => {
      const { message, did, byPrincipal, byAgent } = await candidate();
      const most = (1n << 20n) - 1n;
      // The census: producers, active ones, principals. Nobody can be waited for a million times.
      const mask = ((1n << 24n) - 1n) << 32n;
      const address = city.addresses.PRODUCERS;
      for (let slot = 0; slot < 64; slot += 1) {
        const before = BigInt(await ethers.provider.getStorage(address, slot));
        await networkHelpers.setStorageAt(address, slot, (before & ~mask) | (most << 32n));
        const refused = await contract.register.staticCall(message, did, byPrincipal, byAgent).then(
          () => false,
          (error: Error) => error.message.includes("PrincipalsExhausted"),
        );
        if (refused) {
          await expect(contract.register(message, did, byPrincipal, byAgent)).to.be.revertedWithCustomError(
            contract,
            "PrincipalsExhausted",
          );
          return;
        }
        await networkHelpers.setStorageAt(address, slot, before);
      }
      expect.fail("no slot holds the census");
    });

    it("binds agent and principal, takes the stake, starts at 500 points", async () => {
      const { agent, principal, message, did, byPrincipal, byAgent } = await candidate({ capabilities: 7n, stake: tokens(1200) });
      await expect(contract.register(message, did, byPrincipal, byAgent))
        .to.emit(contract, "AgentRegistered")
        .withArgs(agent.address, principal.address, Kind.PRODUCER, 0, did, 7, tokens(1200));
      const record = await contract.agentOf(agent.address);
      expect(record.principal).to.equal(principal.address);
      expect([record.kind, record.banned, record.index]).to.deep.equal([BigInt(Kind.PRODUCER), false, 0n]);
      expect(record.registeredAt).to.equal(await city.now());
      expect(record.registeredBlock).to.equal(await ethers.provider.getBlockNumber());
      expect(record.reputation).to.equal(500_000);
      expect(await contract.reputationOf(agent.address)).to.equal(500);
      expect(await contract.capabilitiesOf(agent.address)).to.equal(7);
      expect(await contract.stakeOf(agent.address)).to.deep.equal([tokens(1200), 0n, 0n]);
      expect(await city.token.balanceOf(city.addresses.PRODUCERS)).to.equal(tokens(1200));
      expect(await contract.activeProducers()).to.equal(1);
      expect(await contract.isEligible(agent.address, Kind.PRODUCER)).to.equal(true);
      expect(await contract.isEligible(agent.address, Kind.VERIFIER)).to.equal(false);
    });

    it("lets who comes after the founding claim 0.6 of each capability", async () => {
      const level = (most: number, dimension: number) => BigInt(most) << BigInt(16 * dimension);
      await city.constitution.seal();
      const all = Array.from({ length: 10 }, (_, dimension) => level(39_322, dimension)).reduce((word, one) => word | one);
      for (const dimension of [0, 9])
        await expect(city.register("newcomer", { capabilities: all + level(1, dimension) }))
          .to.be.revertedWithCustomError(contract, "CapabilityTooHigh")
          .withArgs(dimension, 39_323, 39_322);
      const { agent } = await city.register("newcomer", { capabilities: all });
      expect(await contract.capabilitiesOf(agent.address)).to.equal(all);
    });

    it("ends with the last number, which 65,535 producers take", async () => {
      for (const name of ["a", "b", "c"]) await city.register(name);
      await contract.connect(await city.as("LEGISLATION")).lapse(keyOf("c").address);
      await giveNumbers(city, 65_534n, 2n);
      const clerk = await city.account("registrar");
      await city.clerks.appoint(Office.REGISTRAR, clerk.address, clerk.address);
      await city.clerks.setEnvelope(Office.REGISTRAR, [contract.interface.getFunction("enfranchise").selector], 2);
      await city.constitution.seal();
      const [last, late] = [(await city.register("last")).agent.address, (await city.register("late")).agent.address];
      const numbers = async () => Promise.all([last, late].map(async (agent) => (await contract.agentOf(agent)).index));
      expect(await numbers()).to.deep.equal([65_535n, 65_535n]);
      await contract.connect(clerk).enfranchise(last);
      expect(await numbers()).to.deep.equal([65_534n, 65_535n]);
      await expect(contract.connect(clerk).enfranchise(late)).to.be.revertedWithCustomError(contract, "ProducersExhausted");
      const paid = [{ agent: late, release: 0n, scored: true, score: 1, reason: WHY }];
      await expect(contract.connect(await city.as("EXECUTION")).settleAll(paid, [late])).to.emit(contract, "ReputationChanged");
      expect(await contract.hasSuffrage(late)).to.equal(false);
    });

    it("numbers producers densely and leaves verifiers out of the electorate", async () => {
      const a = await city.register("a");
      await city.register("v", { kind: Kind.VERIFIER });
      const b = await city.register("b", { principal: a.principal });
      const indices = await Promise.all([a, b].map(async ({ agent }) => (await contract.agentOf(agent.address)).index));
      expect(indices).to.deep.equal([0n, 1n]);
      expect(await contract.activeProducers()).to.equal(2);
      expect(await contract.nonceOf(a.principal.address)).to.equal(2);
    });

    it("takes the agent itself as caller for the agent's signature", async () => {
      const { agent, message, did, byPrincipal } = await candidate();
      await contract.connect(agent).register(message, did, byPrincipal, "0x");
      expect(await contract.principalOf(agent.address)).to.equal(message.principal);
    });

    it("takes a contract wallet (ERC-1271) as principal, not as agent", async () => {
      const owner = await city.account("owner of a wallet");
      const wallet = await ethers.deployContract("OwnedWallet", [owner.address]);
      const agent = await city.account("candidate");
      const at = await wallet.getAddress();
      const { message, did, byAgent } = await city.binding(agent, owner);
      const owned = { ...message, principal: at, nonce: 0n };
      const signed = await city.sign("PrincipalBinding", city.addresses.PRODUCERS, owned, owner);
      const signedByAgent = await city.sign("PrincipalBinding", city.addresses.PRODUCERS, owned, agent);
      await city.token.mint(at, message.stake);
      await wallet.getFunction("approve")(city.addresses.TOKEN, city.addresses.PRODUCERS, message.stake);
      await expect(contract.register(owned, did, byAgent, signedByAgent))
        .to.be.revertedWithCustomError(contract, "InvalidSignature")
        .withArgs(at);
      await contract.register(owned, did, signed, signedByAgent);
      expect(await contract.principalOf(agent.address)).to.equal(at);

      const asAgent = { ...message, agent: at, nonce: 0n };
      const both = await city.sign("PrincipalBinding", city.addresses.PRODUCERS, asAgent, owner);
      await expect(contract.register(asAgent, did, both, both))
        .to.be.revertedWithCustomError(contract, "InvalidSignature")
        .withArgs(at);
    });

    it("refuses a signature by anyone else, over anything else", async () => {
      const { agent, principal, message, did, byPrincipal, byAgent } = await candidate();
      const refused = (m: typeof message, p: string, a: string, who: Wallet) =>
        expect(contract.register(m, did, p, a))
          .to.be.revertedWithCustomError(contract, "InvalidSignature")
          .withArgs(who.address);
      await refused(message, byAgent, byAgent, principal);
      await refused(message, byPrincipal, byPrincipal, agent);
      await refused(message, byPrincipal, "0x", agent);
      await refused({ ...message, capabilities: 1n }, byPrincipal, byAgent, principal);
      await refused({ ...message, stake: message.stake + 1n }, byPrincipal, byAgent, principal);
      await refused({ ...message, kind: Kind.VERIFIER }, byPrincipal, byAgent, principal);
    });

    it("uses a binding once, in time, with the next nonce", async () => {
      const { agent, principal, message, did, byPrincipal, byAgent } = await candidate();
      await expect(contract.register({ ...message, nonce: 1n }, did, byPrincipal, byAgent))
        .to.be.revertedWithCustomError(contract, "InvalidNonce")
        .withArgs(principal.address, 1);
      await contract.register(message, did, byPrincipal, byAgent);
      await expect(contract.register(message, did, byPrincipal, byAgent)).to.be.revertedWithCustomError(contract, "InvalidNonce");
      const again = await city.binding(agent, principal);
      await expect(contract.register(again.message, again.did, again.byPrincipal, again.byAgent))
        .to.be.revertedWithCustomError(contract, "AlreadyRegistered")
        .withArgs(agent.address);
      await networkHelpers.time.increase(3601);
      await expect(contract.register(again.message, again.did, again.byPrincipal, again.byAgent))
        .to.be.revertedWithCustomError(contract, "Expired")
        .withArgs(again.message.deadline);
    });

    it("lets nobody in as clerk, adjudicator or nothing", async () => {
      for (const kind of [Kind.NONE, Kind.CLERK, Kind.ADJUDICATOR]) {
        const { agent, message, did, byPrincipal, byAgent } = await candidate({ kind });
        await expect(contract.register(message, did, byPrincipal, byAgent))
          .to.be.revertedWithCustomError(contract, "WrongKind")
          .withArgs(agent.address, kind);
      }
    });

    it("asks for the registration stake", async () => {
      const { message, did, byPrincipal, byAgent } = await candidate({ stake: tokens(1000) - 1n });
      await expect(contract.register(message, did, byPrincipal, byAgent))
        .to.be.revertedWithCustomError(contract, "StakeBelowMinimum")
        .withArgs(tokens(1000) - 1n, tokens(1000));
    });

    it("checks the form of a DID and that it is the one signed", async () => {
      const agent = await city.account("candidate");
      const principal = await city.account("candidate's principal");
      await city.fund(principal, city.addresses.PRODUCERS, tokens(50_000));
      const attempt = async (did: string, signedDid = did) => {
        const { message } = await city.binding(agent, principal);
        const own = { ...message, did: id(signedDid) };
        const byPrincipal = await city.sign("PrincipalBinding", city.addresses.PRODUCERS, own, principal);
        const byAgent = await city.sign("PrincipalBinding", city.addresses.PRODUCERS, own, agent);
        return contract.register.staticCall(own, did, byPrincipal, byAgent);
      };
      const longest = `did:a:${"x".repeat(122)}`;
      for (const did of ["did:a:b", "did:key:z6MkhaXgBZD", "did:web:example.com:user%3Aa", "did:x9:A-b_c.d", longest]) await attempt(did);
      const malformed = [
        "",
        "did:a:",
        "did::b",
        "did:a",
        "did:a:b:",
        "did:A:b",
        "id:a:b:cd",
        "did:a b:c",
        "did:a:b c",
        "did:a:ä",
        `${longest}x`,
      ];
      for (const did of malformed) {
        await expect(attempt(did), did).to.be.revertedWithCustomError(contract, "MalformedDid").withArgs(did);
      }
      await expect(attempt("did:a:b", "did:a:c")).to.be.revertedWithCustomError(contract, "MalformedDid").withArgs("did:a:b");
    });

    it("takes a DID that names an account from that account alone", async () => {
      const [agent, other] = [await city.account("candidate"), await city.account("another")];
      const principal = await city.account("candidate's principal");
      await city.fund(principal, city.addresses.PRODUCERS, tokens(5000));
      const attempt = async (did: string) => {
        const { message, byPrincipal, byAgent } = await city.binding(agent, principal, { did });
        return contract.register(message, did, byPrincipal, byAgent);
      };
      for (const did of [
        `did:pkh:eip155:1:${other.address}`,
        `did:ethr:${other.address}`,
        "did:pkh:solana:x",
        "did:ethr:0x02",
        `did:pkh:${"z".repeat(42)}`,
      ]) {
        await expect(attempt(did), did).to.be.revertedWithCustomError(contract, "DidOfAnother").withArgs(did, agent.address);
      }
      await attempt(`did:pkh:eip155:1:${agent.address.toLowerCase()}`);
    });

    it("gives a name to one agent, until that one has left", async () => {
      const { agent, principal } = await city.register("a");
      const did = `did:city:${agent.address.toLowerCase()}`;
      const [other, owner] = [await city.account("b"), await city.account("b's principal")];
      await city.fund(owner, city.addresses.PRODUCERS, tokens(5000));
      const register = async () => {
        const { message, byPrincipal, byAgent } = await city.binding(other, owner, { did });
        return contract.register(message, did, byPrincipal, byAgent);
      };
      await expect(register()).to.be.revertedWithCustomError(contract, "DidTaken").withArgs(did, agent.address);
      await contract.connect(principal).deregister(agent.address);
      await expect(register()).to.be.revertedWithCustomError(contract, "DidTaken");
      await networkHelpers.time.increaseTo((await contract.stakeOf(agent.address)).unbondingUntil);
      await expect(register()).to.emit(contract, "AgentRegistered");
    });
  });

  describe("enroll", () => {
    it("belongs to the institution of that kind", async () => {
      const [agent, principal] = [keyOf("x").address, keyOf("y").address];
      const clerks = contract.connect(await city.as("CLERKS"));
      const roster = contract.connect(await city.as("ROSTER"));
      await expect(clerks.enroll(agent, principal, Kind.ADJUDICATOR)).to.be.revertedWithCustomError(contract, "NotAuthorised");
      await expect(roster.enroll(agent, principal, Kind.CLERK)).to.be.revertedWithCustomError(contract, "NotAuthorised");
      await expect(clerks.enroll(agent, principal, Kind.PRODUCER)).to.be.revertedWithCustomError(contract, "NotAuthorised");
      await expect(contract.enroll(agent, principal, Kind.CLERK))
        .to.be.revertedWithCustomError(contract, "NotAuthorised")
        .withArgs(city.deployer.address);
      await expect(clerks.enroll(ZeroAddress, principal, Kind.CLERK)).to.be.revertedWithCustomError(contract, "ZeroAddress");
      await expect(clerks.enroll(agent, ZeroAddress, Kind.CLERK)).to.be.revertedWithCustomError(contract, "ZeroAddress");
      await expect(clerks.enroll(agent, principal, Kind.CLERK))
        .to.emit(contract, "AgentEnrolled")
        .withArgs(agent, principal, Kind.CLERK);
      await expect(roster.enroll(agent, principal, Kind.ADJUDICATOR))
        .to.be.revertedWithCustomError(contract, "AlreadyRegistered")
        .withArgs(agent);
      expect(await contract.activeProducers()).to.equal(0);
    });
  });

  describe("deregister and withdrawStake", () => {
    it("ends eligibility at once and pays the principal after unbonding, once", async () => {
      const { agent, principal } = await city.register("a");
      await contract.connect(agent).deregister(agent.address);
      const until = (await city.now()) + BigInt(UNBONDING);
      expect((await contract.stakeOf(agent.address)).unbondingUntil).to.equal(until);
      expect(await contract.isEligible(agent.address, Kind.PRODUCER)).to.equal(false);
      expect(await contract.activeProducers()).to.equal(0);
      await expect(contract.withdrawStake(agent.address))
        .to.be.revertedWithCustomError(contract, "StillUnbonding")
        .withArgs(agent.address, until);
      await networkHelpers.time.increaseTo(until - 1n);
      await expect(contract.withdrawStake.staticCall(agent.address)).to.be.revertedWithCustomError(contract, "StillUnbonding");
      await networkHelpers.time.increaseTo(until);
      await expect(contract.withdrawStake(agent.address))
        .to.emit(contract, "StakeWithdrawn")
        .withArgs(agent.address, principal.address, tokens(5000));
      expect(await city.token.balanceOf(principal.address)).to.equal(tokens(5000));
      await contract.withdrawStake(agent.address);
      expect(await city.token.balanceOf(principal.address)).to.equal(tokens(5000));
      expect(await contract.principalOf(agent.address)).to.equal(principal.address);
    });

    it("belongs to agent and principal, once", async () => {
      const { agent, principal } = await city.register("a");
      const stranger = await city.account("stranger");
      await expect(contract.connect(stranger).deregister(agent.address))
        .to.be.revertedWithCustomError(contract, "NotAuthorised")
        .withArgs(stranger.address);
      await expect(contract.connect(principal).deregister(agent.address)).to.emit(contract, "AgentDeregistered");
      await expect(contract.connect(agent).deregister(agent.address)).to.be.revertedWithCustomError(contract, "NotRegistered");
      await expect(contract.connect(agent).deregister(stranger.address))
        .to.be.revertedWithCustomError(contract, "NotRegistered")
        .withArgs(stranger.address);
    });

    it("waits for the last lock", async () => {
      const { agent } = await city.register("a");
      const execution = contract.connect(await city.as("EXECUTION"));
      await execution.lock(agent.address, tokens(150));
      await contract.connect(agent).deregister(agent.address);
      await networkHelpers.time.increase(UNBONDING);
      await expect(contract.withdrawStake(agent.address))
        .to.be.revertedWithCustomError(contract, "StillLocked")
        .withArgs(agent.address, tokens(150));
      await execution.settle(outcomeOf(agent.address, { release: tokens(150) }), 0, ZeroAddress);
      await contract.withdrawStake(agent.address);
      expect((await contract.stakeOf(agent.address)).held).to.equal(0);
    });

    it("refuses the stake of one who stays", async () => {
      const { agent } = await city.register("a");
      await expect(contract.withdrawStake(agent.address)).to.be.revertedWithCustomError(contract, "StillUnbonding");
    });

    it("lets a banned agent of a frozen principal leave with its stake", async () => {
      const { agent, principal } = await city.register("a");
      await contract.ban(agent.address, WHY);
      await contract.freezePrincipal(principal.address, true);
      await contract.connect(agent).deregister(agent.address);
      await networkHelpers.time.increase(UNBONDING);
      await contract.withdrawStake(agent.address);
      expect(await city.token.balanceOf(principal.address)).to.equal(tokens(5000));
    });
  });

  describe("topUpStake", () => {
    it("adds the caller's tokens", async () => {
      const { agent } = await city.register("a");
      const friend = await city.account("friend");
      await city.fund(friend, city.addresses.PRODUCERS, tokens(10));
      await expect(contract.connect(friend).topUpStake(agent.address, tokens(10)))
        .to.emit(contract, "StakeAdded")
        .withArgs(agent.address, tokens(10));
      expect((await contract.stakeOf(agent.address)).held).to.equal(tokens(5010));
    });

    it("refuses those who hold no stake here", async () => {
      const clerk = keyOf("clerk").address;
      await contract.connect(await city.as("CLERKS")).enroll(clerk, keyOf("p").address, Kind.CLERK);
      await expect(contract.topUpStake(clerk, 1)).to.be.revertedWithCustomError(contract, "WrongKind").withArgs(clerk, Kind.CLERK);
      await expect(contract.topUpStake(keyOf("nobody").address, 1)).to.be.revertedWithCustomError(contract, "NotRegistered");
    });
  });

  describe("lock", () => {
    it("locks what is beyond the registration stake, nothing more", async () => {
      const { agent } = await city.register("a", { stake: tokens(1300) });
      const execution = contract.connect(await city.as("EXECUTION"));
      await expect(execution.lock(agent.address, tokens(200)))
        .to.emit(contract, "StakeLocked")
        .withArgs(agent.address, tokens(200));
      await expect(execution.lock(agent.address, tokens(101)))
        .to.be.revertedWithCustomError(contract, "InsufficientFreeStake")
        .withArgs(agent.address, tokens(100), tokens(101));
      await execution.lock(agent.address, tokens(100));
      expect((await contract.stakeOf(agent.address)).locked).to.equal(tokens(300));
      await city.constitution.setParam(parameterIndex("REGISTRATION_STAKE"), 2000, WHY);
      await expect(execution.lock(agent.address, 1))
        .to.be.revertedWithCustomError(contract, "InsufficientFreeStake")
        .withArgs(agent.address, 0, 1);
    });

    it("belongs to execution", async () => {
      const { agent } = await city.register("a");
      for (const who of ["LEGISLATION", "ADJUDICATION"] as const) {
        await expect(contract.connect(await city.as(who)).lock(agent.address, 1)).to.be.revertedWithCustomError(contract, "NotAuthorised");
      }
      await expect(contract.lock(agent.address, 1)).to.be.revertedWithCustomError(contract, "NotAuthorised");
      await expect(contract.settle(outcomeOf(agent.address), 1, ZeroAddress)).to.be.revertedWithCustomError(contract, "NotAuthorised");
    });
  });

  const replaceMarket = async (governor: Signer = city.deployer) => {
    const successor = String((await ethers.deployContract("MissionProbe")).target);
    const execution = INSTITUTIONS.indexOf("EXECUTION");
    await city.constitution.connect(governor).amend(execution, successor, WHY);
    await networkHelpers.time.increase(AMENDMENT_NOTICE);
    await city.constitution.enact(execution);
    return successor;
  };

  describe("settle", () => {
    it("releases without taking", async () => {
      const { agent } = await city.register("a");
      const execution = contract.connect(await city.as("EXECUTION"));
      await execution.lock(agent.address, tokens(500));
      await expect(execution.settle(outcomeOf(agent.address, { release: tokens(150) }), 0, ZeroAddress))
        .to.emit(contract, "StakeReleased")
        .withArgs(agent.address, tokens(150));
      expect(await contract.stakeOf(agent.address)).to.deep.equal([tokens(5000), tokens(350), 0n]);
    });

    it("slashes half to the treasury, half and the odd unit to insurance", async () => {
      const { agent } = await city.register("a");
      const execution = contract.connect(await city.as("EXECUTION"));
      await execution.lock(agent.address, tokens(150));
      expect(await execution.settle.staticCall(outcomeOf(agent.address, { release: tokens(150) }), 51, ZeroAddress)).to.equal(51);
      await expect(execution.settle(outcomeOf(agent.address, { release: tokens(150) }), 51, ZeroAddress))
        .to.emit(contract, "StakeSlashed")
        .withArgs(agent.address, 51, WHY);
      expect(await city.treasury.freeBalance()).to.equal(25);
      expect(await city.treasury.insuranceBalance()).to.equal(26);
      expect(await contract.stakeOf(agent.address)).to.deep.equal([tokens(5000) - 51n, 0n, 0n]);
    });

    it("rewards who settles with a hundredth, 5 tokens at most, before halving, or nobody where the token refuses it", async () => {
      const { agent } = await city.register("a");
      const execution = contract.connect(await city.as("EXECUTION"));
      const [settler, blocked] = [keyOf("settler").address, keyOf("blocked").address];
      await execution.settle(outcomeOf(agent.address), tokens(150) + 99n, settler);
      expect(await city.token.balanceOf(settler)).to.equal(tokens(1) + 500_000n);
      expect([await city.treasury.freeBalance(), await city.treasury.insuranceBalance()]).to.deep.equal([74_250_049n, 74_250_050n]);
      await execution.settle(outcomeOf(agent.address), tokens(1000), settler);
      expect(await city.token.balanceOf(settler)).to.equal(tokens(6) + 500_000n);
      const token = await turnHostile(city);
      await token.block(blocked);
      const before = await city.treasury.freeBalance();
      await execution.settle(outcomeOf(agent.address), tokens(100), blocked);
      expect([await city.treasury.freeBalance(), await city.token.balanceOf(blocked)]).to.deep.equal([before + tokens(50), 0n]);
    });

    it("takes the ending lock, then free, then the registration stake, then other locks, and no more than is held", async () => {
      const { agent } = await city.register("a", { stake: tokens(1300) });
      const execution = contract.connect(await city.as("EXECUTION"));
      await execution.lock(agent.address, tokens(100));
      await execution.lock(agent.address, tokens(100));
      // 1300 = 100 ending + 100 other lock + 100 free + 1000 registration.
      await execution.settle(outcomeOf(agent.address, { release: tokens(100) }), tokens(1150), ZeroAddress);
      expect(await contract.stakeOf(agent.address)).to.deep.equal([tokens(150), tokens(100), 0n]);
      await execution.settle(outcomeOf(agent.address), tokens(70), ZeroAddress);
      expect(await contract.stakeOf(agent.address)).to.deep.equal([tokens(80), tokens(80), 0n]);
      expect(await execution.settle.staticCall(outcomeOf(agent.address, { release: tokens(100) }), tokens(500), ZeroAddress)).to.equal(
        tokens(80),
      );
      await execution.settle(outcomeOf(agent.address, { release: tokens(100) }), tokens(500), ZeroAddress);
      expect(await contract.stakeOf(agent.address)).to.deep.equal([0n, 0n, 0n]);
      await execution.settle(outcomeOf(agent.address, { release: tokens(100) }), tokens(500), ZeroAddress);
      expect(await sum()).to.equal(tokens(1300));
      expect(await city.token.balanceOf(city.addresses.PRODUCERS)).to.equal(0);
    });

    it("moves reputation by EMA, only if scored, within 0 and 1000 points", async () => {
      const { agent } = await city.register("a");
      const execution = contract.connect(await city.as("EXECUTION"));
      await execution.settle(outcomeOf(agent.address, { score: 10_000 }), 0, ZeroAddress);
      expect(await contract.reputationOf(agent.address)).to.equal(500);
      await expect(execution.settle(outcomeOf(agent.address, { scored: true, score: 10_000 }), 0, ZeroAddress))
        .to.emit(contract, "ReputationChanged")
        .withArgs(agent.address, 500_000, 550_000, WHY);
      await execution.settle(outcomeOf(agent.address, { scored: true, score: 0 }), 0, ZeroAddress);
      expect((await contract.agentOf(agent.address)).reputation).to.equal(495_000);
      for (let i = 0; i < 100; i++) await execution.settle(outcomeOf(agent.address, { scored: true, score: 65_535 }), 0, ZeroAddress);
      expect(await contract.reputationOf(agent.address)).to.be.within(999, 1000);
    });

    it("settles verifiers too, and nobody else", async () => {
      const { agent } = await city.register("v", { kind: Kind.VERIFIER });
      const execution = contract.connect(await city.as("EXECUTION"));
      await execution.settle(outcomeOf(agent.address), tokens(50), ZeroAddress);
      expect((await contract.stakeOf(agent.address)).held).to.equal(tokens(4950));
      await expect(execution.settle(outcomeOf(keyOf("nobody").address), 1, ZeroAddress)).to.be.revertedWithCustomError(
        contract,
        "NotRegistered",
      );
    });

    it("lets a market that was replaced reach the locks it made, and nothing else", async () => {
      const { agent } = await city.register("a");
      const { agent: other } = await city.register("b");
      const former = contract.connect(await city.as("EXECUTION"));
      await former.lock(agent.address, tokens(150));
      const successor = await replaceMarket();
      await expect(former.lock(agent.address, 1)).to.be.revertedWithCustomError(contract, "NotAuthorised");
      await contract.connect(await city.as(successor)).lock(agent.address, tokens(300));
      await former.settle(outcomeOf(other.address, { scored: true, score: 0 }), tokens(50), ZeroAddress);
      await former.reproach(other.address, 100, WHY);
      expect([(await contract.stakeOf(other.address)).held, await contract.reputationOf(other.address)]).to.deep.equal([
        tokens(5000),
        500n,
      ]);
      const slander = { agent: other.address, release: tokens(50), scored: true, score: 0, reason: WHY };
      await former.settleAll([slander, { agent: agent.address, release: tokens(50), scored: false, score: 0, reason: WHY }], []);
      expect(await contract.reputationOf(other.address)).to.equal(500n);
      await former.settle(outcomeOf(agent.address, { release: tokens(400), scored: true, score: 0 }), tokens(400), ZeroAddress);
      await former.settle(outcomeOf(agent.address, { release: tokens(400), scored: true, score: 0 }), tokens(400), ZeroAddress);
      expect(await contract.stakeOf(agent.address)).to.deep.equal([tokens(4900), tokens(300), 0n]);
      expect(await contract.reputationOf(agent.address)).to.equal(450);
      await contract.connect(await city.as(successor)).settle(outcomeOf(agent.address, { release: tokens(300) }), tokens(300), ZeroAddress);
      expect(await contract.stakeOf(agent.address)).to.deep.equal([tokens(4600), 0n, 0n]);
    });
  });

  describe("accuse and discharge", () => {
    it("lower what a bid rests on by λ for each open fault, and keep the stake of who leaves", async () => {
      const { agent } = await city.register("a");
      const execution = contract.connect(await city.as("EXECUTION"));
      const bids = async () => [(await contract.bidderOf(agent.address)).reputation, await contract.openFaultsOf(agent.address)];
      expect(await execution.accuse.staticCall(agent.address)).to.equal(true);
      await expect(execution.accuse(agent.address)).to.emit(contract, "AgentAccused").withArgs(agent.address, 1);
      await execution.accuse(agent.address);
      // 500 × 0.9², and what is settled stays as it was.
      expect([...(await bids()), await contract.reputationOf(agent.address)]).to.deep.equal([405n, 2n, 500n]);
      await contract.connect(agent).deregister(agent.address);
      await networkHelpers.time.increase(UNBONDING);
      await expect(contract.withdrawStake(agent.address))
        .to.be.revertedWithCustomError(contract, "StillAccused")
        .withArgs(agent.address, 2);
      await execution.discharge(agent.address);
      await expect(execution.discharge(agent.address)).to.emit(contract, "AgentDischarged").withArgs(agent.address, 0);
      await contract.withdrawStake(agent.address);
    });

    it("count 255 faults, and none that the same market did not count", async () => {
      const { agent } = await city.register("a");
      const execution = contract.connect(await city.as("EXECUTION"));
      for (let i = 0; i < 255; i++) await execution.accuse(agent.address);
      expect(await execution.accuse.staticCall(agent.address)).to.equal(false);
      await execution.accuse(agent.address);
      expect([await contract.openFaultsOf(agent.address), (await contract.bidderOf(agent.address)).reputation]).to.deep.equal([255n, 0n]);
      for (let i = 0; i < 255; i++) await execution.discharge(agent.address);
      await expect(execution.discharge(agent.address)).to.be.revertedWithCustomError(contract, "NotAccused");
    });

    it("let a market that was replaced end what it found, and accuse those alone whose locks it made", async () => {
      const { agent } = await city.register("a");
      const { agent: other } = await city.register("b");
      const former = contract.connect(await city.as("EXECUTION"));
      await former.lock(agent.address, tokens(150));
      await former.accuse(other.address);
      await replaceMarket();
      await former.accuse(other.address);
      await former.accuse(agent.address);
      expect([await contract.openFaultsOf(other.address), await contract.openFaultsOf(agent.address)]).to.deep.equal([1n, 1n]);
      await former.discharge(other.address);
      expect(await contract.openFaultsOf(other.address)).to.equal(0n);
    });
  });

  describe("settleAll", () => {
    const outcome = (agent: string, release: bigint, scored: boolean, score: number) => ({ agent, release, scored, score, reason: WHY });

    it("ends locks and scores one after the other, each as settle does, and takes nothing", async () => {
      const { agent } = await city.register("a");
      const { agent: other } = await city.register("b");
      const execution = contract.connect(await city.as("EXECUTION"));
      await execution.lock(agent.address, tokens(300));
      await execution.lock(other.address, tokens(150));
      const outcomes = [
        outcome(agent.address, tokens(150), true, 10_000),
        outcome(other.address, tokens(500), false, 10_000),
        outcome(agent.address, tokens(100), true, 0),
      ];
      await expect(execution.settleAll(outcomes, []))
        .to.emit(contract, "ReputationChanged")
        .withArgs(agent.address, 500_000, 550_000, WHY)
        .and.to.emit(contract, "ReputationChanged")
        .withArgs(agent.address, 550_000, 495_000, WHY)
        .and.to.emit(contract, "StakeReleased")
        .withArgs(other.address, tokens(150));
      expect(await contract.stakeOf(agent.address)).to.deep.equal([tokens(5000), tokens(50), 0n]);
      expect(await contract.stakeOf(other.address)).to.deep.equal([tokens(5000), 0n, 0n]);
      expect(await contract.reputationOf(other.address)).to.equal(500n);
    });

    it("releases once what an agent's outcomes behind one another end, and never more than is locked", async () => {
      const { agent } = await city.register("a");
      const execution = contract.connect(await city.as("EXECUTION"));
      await execution.lock(agent.address, tokens(300));
      const sent = execution.settleAll(
        [150n, 100n, 100n].map((whole) => outcome(agent.address, whole * 1_000_000n, true, 10_000)),
        [],
      );
      const receipt = await (await sent).wait();
      const released = receipt?.logs.map((log) => contract.interface.parseLog(log)).filter((log) => log?.name === "StakeReleased");
      expect(released?.map((log) => log?.args.toArray())).to.deep.equal([[agent.address, tokens(300)]]);
      expect(await contract.stakeOf(agent.address)).to.deep.equal([tokens(5000), 0n, 0n]);
      expect(await contract.reputationOf(agent.address)).to.equal(635n);
    });

    it("is the market's, all or nothing", async () => {
      const { agent } = await city.register("a");
      const one = outcome(agent.address, 0n, true, 0);
      await expect(contract.settleAll([one], [])).to.be.revertedWithCustomError(contract, "NotAuthorised");
      const execution = contract.connect(await city.as("EXECUTION"));
      const unknown = outcome(keyOf("nobody").address, 0n, true, 0);
      await expect(execution.settleAll([one, unknown], [])).to.be.revertedWithCustomError(contract, "NotRegistered");
      expect(await contract.reputationOf(agent.address)).to.equal(500n);
    });
  });

  describe("suffrage and enfranchise", () => {
    const latestBlock = () => ethers.provider.getBlockNumber();
    const paid = (agent: string) => [{ agent, release: 0n, scored: true, score: 1, reason: WHY }];
    const votes = async (agent: string) => {
      const opened = await latestBlock();
      return [
        await contract.hasSuffrage(agent),
        (await contract.electorOf(agent, opened + 1, FLOOR)).mayVote,
        await contract.activeProducers(),
      ];
    };

    it("is who founded the city, and for others begins with a paid slot, in later sessions", async () => {
      const { agent: founder } = await city.register("founder");
      await city.constitution.seal();
      const { agent } = await city.register("newcomer");
      expect([await votes(founder.address), await votes(agent.address)]).to.deep.equal([
        [true, true, 1n],
        [false, false, 1n],
      ]);
      expect(await contract.electorsOf([founder.address, agent.address], (await latestBlock()) + 1, FLOOR)).to.deep.equal([0n, 65_535n]);
      expect(await contract.isEligible(agent.address, Kind.PRODUCER)).to.equal(true);
      const execution = contract.connect(await city.as("EXECUTION"));
      await execution.settleAll(paid(agent.address), []);
      expect(await votes(agent.address)).to.deep.equal([false, false, 1n]);
      const opened = await latestBlock();
      await expect(execution.settleAll(paid(agent.address), [agent.address]))
        .to.emit(contract, "AgentEnfranchised")
        .withArgs(agent.address, city.addresses.EXECUTION);
      expect(await votes(agent.address)).to.deep.equal([true, true, 2n]);
      expect((await contract.electorOf(agent.address, opened, FLOOR)).mayVote).to.equal(false);
    });

    it("is a Registrar's to give, within its envelope and not to its own house", async () => {
      const { principal } = await city.register("founder");
      await city.constitution.seal();
      const { agent } = await city.register("newcomer");
      const { agent: own } = await city.register("own", { principal });
      const clerk = await city.account("registrar");
      const governed = city.clerks.connect(await city.as("ADJUDICATION"));
      await governed.appoint(Office.REGISTRAR, clerk.address, principal.address);
      const registrar = contract.connect(clerk);
      const refused = (call: Promise<unknown>) => expect(call).to.be.revertedWithCustomError(contract, "NotAuthorised");
      await refused(registrar.enfranchise(agent.address));
      await governed.setEnvelope(Office.REGISTRAR, [contract.interface.getFunction("enfranchise").selector], 4);
      await refused(registrar.enfranchise(own.address));
      await refused(contract.enfranchise(agent.address));
      await registrar.enfranchise(agent.address);
      expect(await votes(agent.address)).to.deep.equal([true, true, 2n]);
      await registrar.enfranchise(agent.address);
      expect(await contract.activeProducers()).to.equal(2n);
    });

    it("is given by the Registrar to twenty in thirty days, whatever its envelope says", async () => {
      await city.constitution.seal();
      const clerk = await city.account("registrar");
      const governed = city.clerks.connect(await city.as("ADJUDICATION"));
      await governed.appoint(Office.REGISTRAR, clerk.address, clerk.address);
      await governed.setEnvelope(Office.REGISTRAR, [contract.interface.getFunction("enfranchise").selector], 100);
      const registrar = contract.connect(clerk);
      const agents: string[] = [];
      for (let i = 0; i < 21; i++) agents.push((await city.register(`newcomer ${i}`)).agent.address);
      const [late = "", ...crowd] = agents;
      for (const one of crowd) await registrar.enfranchise(one);
      await expect(registrar.enfranchise(late)).to.be.revertedWithCustomError(contract, "VouchedEnough");
      await networkHelpers.time.increase(30n * 86_400n);
      await registrar.enfranchise(late);
      expect((await votes(late))[0]).to.equal(true);
    });

    it("counts a newcomer that left or is barred neither then nor before", async () => {
      await city.constitution.seal();
      const { agent } = await city.register("newcomer");
      await contract.connect(await city.as("LEGISLATION")).lapse(agent.address);
      expect(await contract.isLapsed(agent.address)).to.equal(false);
      await contract.connect(agent).deregister(agent.address);
      await contract.connect(await city.as("EXECUTION")).settleAll(paid(agent.address), [agent.address]);
      expect([await contract.hasSuffrage(agent.address), await contract.activeProducers()]).to.deep.equal([true, 0n]);
    });

    it("is not given by a market that was replaced", async () => {
      const former = contract.connect(await city.as("EXECUTION"));
      await city.constitution.seal();
      const { agent } = await city.register("newcomer");
      await former.lock(agent.address, tokens(150));
      await replaceMarket(await city.as("ADJUDICATION"));
      await former.settleAll(paid(agent.address), [agent.address]);
      expect(await contract.hasSuffrage(agent.address)).to.equal(false);
    });
  });

  describe("adjustReputation", () => {
    it("moves whole points, kept within 0 and 1000", async () => {
      const { agent } = await city.register("a");
      await expect(contract.adjustReputation(agent.address, -20, WHY))
        .to.emit(contract, "ReputationChanged")
        .withArgs(agent.address, 500_000, 480_000, WHY);
      await contract.adjustReputation(agent.address, 2n ** 255n - 1n, WHY);
      expect(await contract.reputationOf(agent.address)).to.equal(1000);
      await contract.adjustReputation(agent.address, -(2n ** 255n), WHY);
      expect(await contract.reputationOf(agent.address)).to.equal(0);
      expect(await contract.isEligible(agent.address, Kind.PRODUCER)).to.equal(false);
    });

    it("makes eligible from the floor on", async () => {
      const { agent } = await city.register("a");
      await contract.adjustReputation(agent.address, -400, WHY);
      expect(await contract.isEligible(agent.address, Kind.PRODUCER)).to.equal(true);
      await contract.adjustReputation(agent.address, -1, WHY);
      expect(await contract.isEligible(agent.address, Kind.PRODUCER)).to.equal(false);
    });
  });

  describe("reproach", () => {
    it("takes whole points, down to nothing", async () => {
      const { agent } = await city.register("a");
      const execution = contract.connect(await city.as("EXECUTION"));
      await expect(execution.reproach(agent.address, 100, WHY))
        .to.emit(contract, "ReputationChanged")
        .withArgs(agent.address, 500_000, 400_000, WHY);
      await execution.reproach(agent.address, 500, WHY);
      expect(await contract.reputationOf(agent.address)).to.equal(0);
      await expect(contract.reproach(agent.address, 1, WHY)).to.be.revertedWithCustomError(contract, "NotAuthorised");
    });
  });

  describe("ban, freezePrincipal and freezeAgent", () => {
    it("bar one agent for ever, or a portfolio for a time", async () => {
      const a = await city.register("a");
      const b = await city.register("b", { principal: a.principal });
      const c = await city.register("c");
      await expect(contract.ban(b.agent.address, WHY)).to.emit(contract, "AgentBanned").withArgs(b.agent.address, WHY);
      expect((await contract.agentOf(b.agent.address)).banned).to.equal(true);
      expect(await contract.isEligible(b.agent.address, Kind.PRODUCER)).to.equal(false);
      expect(await contract.activeProducers()).to.equal(2);

      await expect(contract.freezePrincipal(a.principal.address, true))
        .to.emit(contract, "PrincipalFrozen")
        .withArgs(a.principal.address, true);
      await contract.freezePrincipal(a.principal.address, true);
      expect(await contract.isEligible(a.agent.address, Kind.PRODUCER)).to.equal(false);
      expect(await contract.isEligible(c.agent.address, Kind.PRODUCER)).to.equal(true);
      expect(await contract.activeProducers()).to.equal(1);

      const d = await city.register("d", { principal: a.principal });
      expect(await contract.activeProducers()).to.equal(1);
      await contract.connect(a.agent).deregister(a.agent.address);
      await contract.freezePrincipal(a.principal.address, false);
      expect(await contract.isEligible(d.agent.address, Kind.PRODUCER)).to.equal(true);
      expect(await contract.activeProducers()).to.equal(2);
    });

    it("keep one agent from new work for two review times, and neither from its vote nor from its money", async () => {
      const { agent, principal } = await city.register("a");
      const { agent: verifier } = await city.register("v", { kind: Kind.VERIFIER });
      const review = 2n * (await city.constitution.param(parameterIndex("MAX_HUMAN_REVIEW_TIMEOUT")));
      const eligible = () => contract.isEligible(agent.address, Kind.PRODUCER);
      await expect(contract.freezeAgent(agent.address, true)).to.emit(contract, "AgentFrozen");
      const until = (await city.now()) + review;
      expect(await contract.awardeeOf(agent.address)).to.deep.equal([ethers.ZeroAddress, false]);
      expect([await eligible(), (await contract.bidderOf(agent.address)).principal]).to.deep.equal([false, ethers.ZeroAddress]);
      await expect(contract.requireRoutable(agent.address))
        .to.be.revertedWithCustomError(contract, "FrozenAgent")
        .withArgs(agent.address, until);
      expect(await contract.activeProducers()).to.equal(1);
      await networkHelpers.mine();
      const opened = await ethers.provider.getBlockNumber();
      expect((await contract.electorOf(agent.address, opened, FLOOR)).mayVote).to.equal(true);
      await contract.freezeAgent(agent.address, false);
      expect(await contract.requireRoutable(agent.address)).to.equal(principal.address);
      await contract.freezeAgent(agent.address, true);
      await networkHelpers.time.increase(review - 10n);
      expect(await eligible()).to.equal(false);
      await networkHelpers.time.increase(10n);
      expect(await eligible()).to.equal(true);
      await contract.freezeAgent(verifier.address, true);
      expect(await contract.isEligible(verifier.address, Kind.VERIFIER)).to.equal(false);
      await expect(contract.freezeAgent(keyOf("nobody").address, true)).to.be.revertedWithCustomError(contract, "NotRegistered");
    });

    it("belong to the governor", async () => {
      const { agent, principal } = await city.register("a");
      const own = contract.connect(agent);
      await expect(own.ban(agent.address, WHY)).to.be.revertedWithCustomError(contract, "NotGovernor").withArgs(agent.address);
      await expect(own.freezePrincipal(principal.address, true)).to.be.revertedWithCustomError(contract, "NotGovernor");
      await expect(own.freezeAgent(agent.address, true)).to.be.revertedWithCustomError(contract, "NotGovernor");
      await expect(own.adjustReputation(agent.address, 1, WHY)).to.be.revertedWithCustomError(contract, "NotGovernor");
      await expect(contract.ban(keyOf("nobody").address, WHY)).to.be.revertedWithCustomError(contract, "NotRegistered");
    });
  });

  describe("lapse and attend", () => {
    it("take a producer out of the electorate and back into that of later blocks", async () => {
      const { agent } = await city.register("a");
      const legislation = contract.connect(await city.as("LEGISLATION"));
      await expect(legislation.lapse(agent.address)).to.emit(contract, "AgentLapsed").withArgs(agent.address);
      await legislation.lapse(agent.address);
      expect(await contract.isLapsed(agent.address)).to.equal(true);
      expect(await contract.activeProducers()).to.equal(0);
      expect(await contract.isEligible(agent.address, Kind.PRODUCER)).to.equal(true);

      await expect(contract.connect(agent).attend(agent.address)).to.emit(contract, "AgentAttended").withArgs(agent.address);
      expect(await contract.isLapsed(agent.address)).to.equal(false);
      expect(await contract.activeProducers()).to.equal(1);
      const block = await ethers.provider.getBlockNumber();
      expect((await contract.agentOf(agent.address)).registeredBlock).to.equal(block);
      await contract.connect(agent).attend(agent.address);
      expect((await contract.agentOf(agent.address)).registeredBlock).to.equal(block);
    });

    it("do not bring back who left or is barred", async () => {
      const { agent, principal } = await city.register("a");
      const legislation = contract.connect(await city.as("LEGISLATION"));
      await legislation.lapse(agent.address);
      await contract.ban(agent.address, WHY);
      await contract.connect(principal).attend(agent.address);
      expect(await contract.activeProducers()).to.equal(0);
    });

    it("belong to legislation; attending also to agent and principal", async () => {
      const { agent } = await city.register("a");
      const v = await city.register("v", { kind: Kind.VERIFIER });
      await expect(contract.connect(agent).lapse(agent.address)).to.be.revertedWithCustomError(contract, "NotAuthorised");
      await expect(contract.connect(v.agent).attend(agent.address)).to.be.revertedWithCustomError(contract, "NotAuthorised");
      const legislation = contract.connect(await city.as("LEGISLATION"));
      await legislation.attend(agent.address);
      await expect(legislation.lapse(v.agent.address))
        .to.be.revertedWithCustomError(contract, "WrongKind")
        .withArgs(v.agent.address, Kind.VERIFIER);
    });
  });
});
