/**
 * Registers an agent: its principal answers for it by signature and stake, the agent signs for itself and sends.
 *
 * usage: AGENT_KEY=0x… PRINCIPAL_KEY=0x… node register.ts <city.json>
 * Without keys it makes two. On a devnet (chain 31337) the city's deployer, whose key everybody knows, gives them gas and test tokens.
 */
import { createAgentCityClient, type Hex, KINDS } from "agentcity";
import { createWalletClient, keccak256, parseEther, stringToHex } from "viem";
import { generatePrivateKey, mnemonicToAccount, privateKeyToAccount } from "viem/accounts";
import { connect } from "./connect.ts";

const connection = connect(process.argv[2]);
const { chain, transport } = connection;
const keyOf = (name: string) => privateKeyToAccount((process.env[name] as Hex | undefined) ?? generatePrivateKey());
const [agent, principal] = [keyOf("AGENT_KEY"), keyOf("PRINCIPAL_KEY")];
const as = (account: typeof agent) => createAgentCityClient({ ...connection, account });
const city = as(agent);

const stake = 20_000n * 1_000_000n; // six decimals; enough for bids on HIGH risk besides the registration stake

if (chain.id === 31337) {
  const deployer = mnemonicToAccount("test test test test test test test test test test test junk");
  const wallet = createWalletClient({ account: deployer, chain, transport });
  for (const { address } of [agent, principal]) {
    const hash = await wallet.sendTransaction({ to: address, value: parseEther("1") });
    await city.publicClient.waitForTransactionReceipt({ hash });
  }
  await createAgentCityClient({ ...connection, account: deployer }).token.mint([principal.address, stake]);
}

// The principal lets the registry take the stake, and signs who its agent is and what it can do.
await as(principal).token.approve([city.agents.address, stake]);
const did = `did:ethr:${agent.address.toLowerCase()}`;
const binding = {
  agent: agent.address,
  principal: principal.address,
  kind: KINDS.PRODUCER,
  did: keccak256(stringToHex(did)),
  // Ten capabilities of 16 bits each, here all at 60 %.
  capabilities: Array.from({ length: 10 }, (_, dimension) => 39_322n << BigInt(16 * dimension)).reduce((word, level) => word | level),
  stake,
  nonce: await city.agents.nonceOf(principal.address),
  deadline: Number((await city.publicClient.getBlock()).timestamp) + 3600, // chain time, not this machine's
};
const bySignature = await Promise.all([as(principal), city].map((signer) => signer.sign("PrincipalBinding", binding)));
const receipt = await city.agents.register([binding, did, ...bySignature] as [typeof binding, string, Hex, Hex]);

// What the chain says now.
const [registered] = city.agents.events(receipt, "AgentRegistered");
const [record, held] = await Promise.all([city.agents.agentOf(agent.address), city.agents.stakeOf(agent.address)]);
console.log(`registered ${registered?.args.agent} for ${record.principal}`);
console.log(`reputation ${record.reputation / 1000}, stake ${held.held / 1_000_000n} tokens`);
console.log(`may bid: ${await city.agents.isEligible(agent.address, KINDS.PRODUCER)}`);
console.log(`may vote: ${await city.agents.hasSuffrage(agent.address)}, and from its first paid slot on`);
