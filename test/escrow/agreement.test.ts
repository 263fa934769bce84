/** Agreements on a real chain: the contract pays what the documents say, whoever falls silent. */
import { expect } from "chai";
import { createPublicClient, createWalletClient, zeroAddress } from "viem";
import { readArtifact } from "../../deploy/artifacts.ts";
import { agreementEscrowAbi } from "../../orchestrator/chain/abi/AgreementEscrow.ts";
import { transportOf } from "../../orchestrator/chain/chain.ts";
import { devnetAccount } from "../../orchestrator/chain/devnet.ts";
import { openEmbeddedChain } from "../../orchestrator/chain/embedded.ts";
import { connectEscrow, escrowTerms, jobOf, signEscrowTerms } from "../../orchestrator/escrow/index.ts";
import { CASES, type Case, play } from "../../scripts/agreement/play.ts";
import { proposal } from "../agreements/example.ts";

/** Provider and client, in millionths of 5 USDC. */
const PAID: Readonly<Record<Case, readonly [status: string, provider: bigint, client: bigint]>> = {
  graduated: ["completed", 4_250_000n, 750_000n],
  disputed: ["completed", 2_000_000n, 3_000_000n],
  cancelled: ["completed", 1_000_000n, 4_000_000n],
  "no-funds": ["expired", 0n, 0n],
  "no-delivery": ["expired", 0n, 5_000_000n],
  "no-evaluator": ["expired", 2_500_000n, 2_500_000n],
  backup: ["completed", 4_250_000n, 750_000n],
  "no-ruling": ["completed", 4_250_000n, 750_000n],
};

describe("an agreement on a chain", () => {
  for (const name of CASES)
    it(`is paid as its documents say: ${name}`, async () => {
      const chain = await openEmbeddedChain();
      const { status, owed, paid, steps } = await play(chain, name).finally(() => chain.close());
      const [wanted, provider, client] = PAID[name];
      expect(paid).to.deep.equal({ provider, client });
      expect(owed).to.deep.equal(paid);
      expect(status).to.equal(wanted);
      expect(steps.every(({ outcome }) => outcome.kind === "settled")).to.equal(true);
    }).timeout(30_000);

  it("has one number in both languages, and tells a refusal from a fate nobody saw", async () => {
    const chain = await openEmbeddedChain();
    try {
      const on = { chain: chain.publicClient.chain, transport: transportOf(chain) };
      const [client, provider] = [devnetAccount(1), devnetAccount(2)];
      const { abi, bytecode } = readArtifact("agreements/AgreementEscrow");
      const hash = await createWalletClient({ ...on, account: client }).deployContract({ abi, bytecode, args: [] });
      const address = (await chain.receipt(hash)).contractAddress ?? zeroAddress;
      const parties = {
        client: client.address,
        provider: provider.address,
        evaluator: devnetAccount(3).address,
        backup: zeroAddress,
        arbiter: devnetAccount(4).address,
        token: address,
      };
      const reader = createPublicClient({ ...on, cacheTime: 0 });
      const now = Number((await reader.getBlock()).timestamp);
      const terms = escrowTerms(proposal, parties, { now });
      const domain = { chainId: chain.id, escrow: address };
      const digest = await reader.readContract({ abi: agreementEscrowAbi, address, functionName: "digestOf", args: [terms] });
      expect(jobOf(domain, terms)).to.equal(BigInt(digest));

      const escrow = connectEscrow({ ...on, address, patience: 1 });
      const [one, other] = [await signEscrowTerms(client, domain, terms), await signEscrowTerms(provider, domain, terms)];
      expect(await escrow.call(client, "open", [terms, other, one])).to.deep.include({ kind: "rejected" });
      const opened = await escrow.call(client, "open", [terms, one, other]);
      const fate = opened.kind === "unknown" ? await connectEscrow({ ...on, address }).reconcile(opened.handle) : opened;
      expect(fate).to.deep.include({ kind: "settled", provider: 0n, client: 0n });
      expect(await escrow.statusOf(jobOf(domain, terms))).to.equal("open");
      const nowhere = connectEscrow({ ...on, address, patience: 1 });
      expect(await nowhere.reconcile(`0x${"ab".repeat(32)}`)).to.deep.include({ kind: "unknown" });
    } finally {
      await chain.close();
    }
  }).timeout(30_000);
});
