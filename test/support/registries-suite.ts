import { expect } from "chai";
import { type Abi, createWalletClient, type Hex, parseAbi } from "viem";
import type { ClosingRecord } from "../../orchestrator/agreements/index.ts";
import { transportOf } from "../../orchestrator/chain/chain.ts";
import { devnetAccount } from "../../orchestrator/chain/devnet.ts";
import { openEmbeddedChain } from "../../orchestrator/chain/embedded.ts";
import { newPassport } from "../../orchestrator/clearing/passport.ts";
import {
  connectRegistries,
  connectValidations,
  feedbackHash,
  feedbackOn,
  feedbackOnPassport,
  feedbackSchema,
  registrationSchema,
  registrationText,
  requestHash,
  VALIDATION_ABI,
  type ValidationPlace,
  validationOf,
  validationRequestCall,
  validationSchema,
} from "../../orchestrator/escrow/index.ts";
import type { Address } from "../../orchestrator/primitives/hex.ts";
import { proposal } from "../agreements/example.ts";
import { rejection } from "./rejection.ts";

const CLOSING: ClosingRecord = { provider: "beta", passed: true, composite: 8700, on_time: true, disputed: false, upheld: false };
const SERVICES = [{ name: "A2A", endpoint: "https://agent.example/.well-known/agent-card.json", version: "1.0" }];

/** Deploys a contract by the same account each time, or calls one. */
export interface Registrar {
  readonly deploy: (compiled: { readonly abi: Abi; readonly bytecode: Hex }, args?: readonly unknown[]) => Promise<Address>;
  readonly call: (address: Address, abi: Abi, functionName: string, args: readonly unknown[]) => Promise<void>;
}
/** Where a pair of registries is made: first that of agents, then that of what is said of them. */
export interface RegistryKind {
  readonly identities: (by: Registrar) => Promise<Address>;
  readonly reputations: (by: Registrar, identities: Address) => Promise<Address>;
  readonly validations: (by: Registrar, identities: Address) => Promise<Address>;
}

/** ERC-8004: an agent is registered, and an agreement's outcome is what is said of it. */
export function describeRegistries(title: string, kind: () => RegistryKind): void {
  describe(title, function () {
    this.timeout(120_000);
    let chain: Awaited<ReturnType<typeof openEmbeddedChain>>;
    let on: Pick<Parameters<typeof connectRegistries>[0], "chain" | "transport">;
    const [deployer, provider, client, stranger] = [devnetAccount(0), devnetAccount(1), devnetAccount(2), devnetAccount(3)];

    before(async () => {
      chain = await openEmbeddedChain();
      on = { chain: chain.publicClient.chain, transport: transportOf(chain) };
    });
    after(() => chain.close());

    const registrar: Registrar = {
      async deploy({ abi, bytecode }, args = []) {
        const hash = await createWalletClient({ ...on, account: deployer }).deployContract({ abi, bytecode, args: [...args] });
        const { contractAddress } = await chain.receipt(hash);
        if (contractAddress === undefined || contractAddress === null) throw new Error("not deployed");
        return contractAddress;
      },
      async call(address, abi, functionName, args) {
        const hash = await createWalletClient({ ...on, account: deployer }).writeContract({ address, abi, functionName, args });
        expect((await chain.receipt(hash)).status).to.equal("success");
      },
    };

    async function opened() {
      const identity = await kind().identities(registrar);
      const reputation = await kind().reputations(registrar, identity);
      const registries = await connectRegistries({ ...on, identity, reputation });
      const uri = "ipfs://bafkreigh2akiscaildc";
      const registered = await registries.register(provider, uri);
      if (registered.kind !== "registered") throw new Error(registered.kind);
      const agentId = Number(registered.agentId);
      const place = { chainId: chain.id, identity, agentId, client: client.address, createdAt: "2026-03-26T15:00:00Z" };
      return { identity, reputation, registries, uri, agentId, place };
    }

    it("registers an agent under its file, the first as 0", async () => {
      const { registries, agentId, uri } = await opened();
      expect(agentId).to.equal(0);
      expect(await registries.uriOf(0n)).to.equal(uri);
      expect(await registries.walletOf(0n)).to.equal(provider.address);
      const text = registrationText({ name: "beta", description: "Studies", services: SERVICES, x402Support: false, active: true });
      expect(registrationSchema.parse(JSON.parse(text)).registrations).to.deep.equal([]);
      expect(() => registrationText({ name: "", description: "", services: [], x402Support: false, active: true })).to.throw();
    });

    it("gives an agreement's outcome as feedback, once, and whoever has the file can check it", async () => {
      const { registries, place } = await opened();
      const feedback = feedbackOn(proposal, CLOSING, place);
      expect(feedbackSchema.parse(JSON.parse(JSON.stringify(feedback)))).to.deep.include({ value: 8700, valueDecimals: 2, tag1: "asa" });
      expect(JSON.stringify(feedback)).not.to.contain(proposal.service.description);
      const given = await registries.give(client, feedback, { uri: "ipfs://file", paid: provider.address });
      expect(given).to.deep.include({ kind: "given", index: 1n });
      expect(await registries.give(client, feedback, { uri: "ipfs://file", paid: provider.address })).to.deep.equal(given);
      expect(await registries.holds(feedback, client.address, 1n)).to.equal(true);
      const better = { ...feedback, value: 9900 };
      expect(await registries.holds(better, client.address, 1n)).to.equal(false);
      const kinder = { ...feedback, asa: { ...feedback.asa, disputed: true } };
      expect(await registries.holds(kinder, client.address, 1n)).to.equal(false);
      expect(feedbackHash(kinder)).not.to.equal(feedbackHash(feedback));
    });

    it("gives a passport's history as feedback: what its engine counted, and nothing of the work", async () => {
      const { registries, place } = await opened();
      const decision = `0x${"ab".repeat(32)}` as const;
      const cleared = { ...newPassport(provider.address), fields: { cleared_obligations: 8 } };
      const history = [{ source_clearing_decision: decision, delta_id: decision }];
      const feedback = feedbackOnPassport({ ...cleared, history }, place);
      expect(feedback).to.deep.include({ value: 9_000, valueDecimals: 2, tag1: "rails", tag2: "passport" });
      expect(feedback.rails).to.include({ clearings: 1, verdicts: 0 });
      expect(feedbackSchema.parse(JSON.parse(JSON.stringify(feedback)))).to.deep.equal(feedback);
      const disputed = { ...cleared, fields: { cleared_obligations: 7, upheld_disputes: 1 } };
      expect(feedbackOnPassport(disputed, place).value, "an upheld dispute counts").to.equal(8_000);
      expect(feedbackOnPassport(newPassport("x"), place).value, "a stranger").to.equal(5_000);
      const given = await registries.give(client, feedback, { uri: "ipfs://passport", paid: provider.address });
      expect(given).to.deep.include({ kind: "given", index: 1n });
      expect(await registries.holds(feedback, client.address, 1n)).to.equal(true);
      expect(await registries.holds({ ...feedback, rails: { ...feedback.rails, clearings: 9 } }, client.address, 1n)).to.equal(false);
    });

    it("is refused to the agent's owner, and about an agent that the agreement did not pay", async () => {
      const { registries, place } = await opened();
      const own = feedbackOn(proposal, CLOSING, { ...place, client: provider.address });
      expect(await registries.give(provider, own, { uri: "", paid: provider.address })).to.deep.include({ kind: "rejected" });
      const feedback = feedbackOn(proposal, CLOSING, place);
      const others = await registries.give(client, feedback, { uri: "", paid: stranger.address });
      expect(others).to.deep.include({ kind: "rejected" });
      expect(await registries.holds(feedback, client.address, 1n).catch(() => false)).to.equal(false);
    });

    it("no longer holds once it is taken back", async () => {
      const { registries, reputation, place } = await opened();
      const feedback = feedbackOn(proposal, CLOSING, place);
      await registries.give(client, feedback, { uri: "", paid: provider.address });
      const revocation = {
        abi: parseAbi(["function revokeFeedback(uint256 agentId, uint64 feedbackIndex)"]),
        functionName: "revokeFeedback",
      } as const;
      const hash = await createWalletClient({ ...on, account: client }).writeContract({
        ...revocation,
        address: reputation,
        args: [0n, 1n],
      });
      await chain.receipt(hash);
      expect(await registries.holds(feedback, client.address, 1n)).to.equal(false);
    });

    it("takes no pair of registries that are not each other's", async () => {
      const { reputation } = await opened();
      const elsewhere = await kind().identities(registrar);
      expect((await rejection(connectRegistries({ ...on, identity: elsewhere, reputation }))).message).to.contain("is about agents of");
    });

    /** An agent that is registered, and a request to validate what `client` evaluated of its work. */
    async function validated() {
      const { validations } = kind();
      const { identity, registries, agentId } = await opened();
      const registry = await validations(registrar, identity);
      const other = await registries.register(stranger, "ipfs://another");
      if (other.kind !== "registered") throw new Error(other.kind);
      const place: ValidationPlace = { chainId: chain.id, registry, agentId, validator: client.address, agreement: `0x${"ab".repeat(32)}` };
      const file = validationOf(place, CLOSING, "2026-03-26T15:00:00Z");
      const at = await connectValidations({ ...on, identity, registry });
      const answer = (given = file, paid = provider.address, where = place) =>
        at.answer(client, where, given, { uri: "ipfs://answer", paid });
      return { identity, registry, at, place, file, answer, other: Number(other.agentId) };
    }

    it("has a request to validate work answered by who judged it: its result, once, which whoever has the file can check", async () => {
      const { at, place, file, answer, registry } = await validated();
      expect(validationSchema.parse(JSON.parse(JSON.stringify(file)))).to.deep.include({
        response: 87,
        tag: "asa",
        requestHash: requestHash(place),
      });
      expect(await answer(), "nobody asked").to.deep.include({ kind: "rejected" });
      const call = validationRequestCall(place, "ipfs://request");
      expect(call.to).to.equal(registry);
      await chain.receipt(await createWalletClient({ ...on, account: provider }).sendTransaction({ ...call, to: call.to }));
      const given = await answer();
      expect(given).to.deep.include({ kind: "answered" });
      expect(await answer(), "again").to.deep.equal(given);
      expect(await at.holds(place, file)).to.equal(true);
      expect(await at.holds(place, { ...file, asa: { ...file.asa, disputed: true } })).to.equal(false);
      const worse = validationOf(place, { ...CLOSING, passed: false, composite: 1_000 }, "2026-03-26T16:00:00Z");
      expect(await answer(worse), "another result").to.deep.include({ kind: "rejected" });
    });

    it("answers no request that a squatter made under its key, about another agent or of another wallet", async () => {
      const { at, place, answer, other, file } = await validated();
      expect(await answer(file, provider.address, { ...place, agentId: other })).to.deep.include({ kind: "rejected" });
      // The key is the agreement's, the agent the squatter's own.
      const squat = { address: place.registry, abi: VALIDATION_ABI, functionName: "validationRequest" } as const;
      const args = [client.address, BigInt(other), "ipfs://mine", requestHash(place)] as const;
      await chain.receipt(await createWalletClient({ ...on, account: stranger }).writeContract({ ...squat, args }));
      expect(await answer()).to.deep.include({
        kind: "rejected",
        reason: `the request names agent ${other} and validator ${client.address}`,
      });
      expect(await at.request(provider, place, "ipfs://request"), "the key is taken").to.deep.include({ kind: "rejected" });
      const own = { ...place, agreement: `0x${"cd".repeat(32)}` as const };
      expect((await at.request(provider, own, "ipfs://request")).kind).to.equal("settled");
      const about = validationOf(own, CLOSING, "2026-03-26T15:00:00Z");
      expect(await answer(about, stranger.address, own)).to.deep.include({ kind: "rejected" });
      expect(await answer(about, provider.address, own)).to.deep.include({ kind: "answered" });
    });

    it("takes no answer for the first one that was overwritten", async () => {
      const { at, place, file, answer } = await validated();
      await at.request(provider, place, "ipfs://request");
      await answer();
      const args = [requestHash(place), 100, "ipfs://other", `0x${"00".repeat(32)}`, "asa"] as const;
      const call = { address: place.registry, abi: VALIDATION_ABI, functionName: "validationResponse", args } as const;
      await chain.receipt(await createWalletClient({ ...on, account: client }).writeContract(call));
      expect(await at.holds(place, file)).to.equal(false);
    });
  });
}
