import { type ContractTransactionResponse, id, ZeroAddress } from "ethers";
import { ethers, keyOf, networkHelpers } from "../support/city-fixture.ts";
import { gasOf, type Samples } from "./meter.ts";

const VOTERS = 9;
const FOR = 1;
const TYPES = {
  Ballot: [
    { name: "proposalId", type: "uint256" },
    { name: "support", type: "uint8" },
    { name: "voter", type: "address" },
    { name: "nonce", type: "uint256" },
  ],
};

/** OpenZeppelin's Governor in the same run: one choice among three, every voter's first. */
export async function governor(): Promise<Samples> {
  const votes = await ethers.deployContract("PeerVotes");
  const peer = await ethers.deployContract("PeerGovernor", [votes]);
  const send = (
    contract: { getFunction: typeof peer.getFunction },
    name: string,
    ...args: unknown[]
  ): Promise<ContractTransactionResponse> => contract.getFunction(name)(...args);
  const voters = Array.from({ length: 2 * VOTERS }, (_, i) => keyOf(`governor's voter ${i}`));
  for (const voter of voters) {
    await networkHelpers.setBalance(voter.address, 10n ** 20n);
    await send(votes, "mint", voter.address, 1n);
    await send(votes.connect(voter), "delegate", voter.address);
  }
  const call = [[ZeroAddress], [0n], ["0x"]] as const;
  await send(peer, "propose", ...call, "text");
  const proposalId: bigint = await peer.getFunction("hashProposal")(...call, id("text"));
  await networkHelpers.mine(2);

  const samples = { "governor-castVote": [] as number[], "governor-castVoteBySig": [] as number[] };
  const domain = { name: "Peer governor", version: "1", chainId: 31337n, verifyingContract: await peer.getAddress() };
  for (const [i, voter] of voters.entries()) {
    if (i % 2 === 0) {
      samples["governor-castVote"].push(await gasOf(send(peer.connect(voter), "castVote", proposalId, FOR)));
      continue;
    }
    const message = { proposalId, support: FOR, voter: voter.address, nonce: 0n };
    const signature = await voter.signTypedData(domain, TYPES, message);
    samples["governor-castVoteBySig"].push(await gasOf(send(peer, "castVoteBySig", proposalId, FOR, voter.address, signature)));
  }
  return samples;
}
