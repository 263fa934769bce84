import type { BaseContract, ContractTransactionResponse, Wallet } from "ethers";
import { type City, ethers } from "./city-fixture.ts";
import type { Jobs } from "./evaluator-fixture.ts";
import type { Compiled, Publication } from "./published.ts";

const PROXY = "@openzeppelin/contracts/proxy/ERC1967/ERC1967Proxy.sol";
const commerce = (commit: string, hasTokens: boolean, namesBudget: boolean) => ({
  repository: "erc-8183/base-contracts",
  openzeppelin: "5.6.1",
  viaIR: false,
  commit,
  files: ["contracts/AgenticCommerce.sol", PROXY],
  /** Each job names its token and, if it likes, its provider's number in ERC-8004. */
  hasTokens,
  /** `fund` repeats the budget. */
  namesBudget,
});
type Commerce = Publication & ReturnType<typeof commerce>;

/** The reference of ERC-8183 at each of its interfaces: the first, tokens by job, the last before its jobs were packed. */
export const AGENTIC_COMMERCE: readonly Commerce[] = [
  commerce("bc9e89de80f0d56ace7410dd7fd1baca2cb90064", false, false),
  commerce("3e9432c7f279eba08a12b5b694eff498529b69de", true, false),
  commerce("e82fc4db9a5dc1d5d0a51be76e70be5b2713db3e", true, true),
  commerce("c67e160c87ac6271b657171784a77ad38d1d9b34", true, true),
];

/** Deploys one behind its proxy. */
export async function deployCommerce(city: City, { hasTokens }: Commerce, compiled: (name: string) => Compiled): Promise<BaseContract> {
  const [deployer] = await ethers.getSigners();
  const factory = ({ abi, bytecode }: Compiled) => new ethers.ContractFactory([...abi] as never, bytecode, deployer);
  const logic = await factory(compiled("AgenticCommerce")).deploy();
  const treasury = (await city.account("treasury")).address;
  const start = logic.interface.encodeFunctionData("initialize", hasTokens ? [treasury] : [city.addresses.TOKEN, treasury]);
  const proxy = await factory(compiled("ERC1967Proxy")).deploy(await logic.getAddress(), start);
  return new ethers.Contract(await proxy.getAddress(), logic.interface, deployer);
}

/** Its jobs, called as the draft's text has it. */
export async function commerceJobs(city: City, kind: Commerce, compiled: (name: string) => Compiled): Promise<Jobs> {
  const contract = await deployCommerce(city, kind, compiled);
  const send =
    (name: string, by?: Wallet) =>
    (...args: readonly unknown[]): Promise<ContractTransactionResponse> =>
      (by === undefined ? contract : contract.connect(by)).getFunction(name)(...args);
  /** No hook, and no number of the provider's. */
  const created = (args: readonly unknown[]) => [...args, ethers.ZeroAddress, ...(kind.hasTokens ? [0] : [])];
  return {
    contract,
    getAddress: () => contract.getAddress(),
    connect: (by) => ({
      createJob: (...args) => send("createJob", by)(...created(args)),
      setBudget: (job, amount) => send("setBudget", by)(job, ...(kind.hasTokens ? [city.addresses.TOKEN] : []), amount, "0x"),
      fund: (job, amount, data) => send("fund", by)(job, ...(kind.namesBudget ? [amount] : []), data),
      submit: send("submit", by),
    }),
    pause: () => Promise.reject(new Error("it cannot be paused")),
    claimRefund: send("claimRefund"),
    nextOf: (by, ...args) =>
      contract
        .connect(by)
        .getFunction("createJob")
        .staticCall(...created(args)),
    statusOf: async (job) => (await contract.getFunction("getJob")(job)).status,
  };
}
