import { expect } from "chai";
import { type Address, getContractAddress, type Hex, size, toHex } from "viem";
import type { Request } from "../../orchestrator/chain/chain.ts";
import { devnetAccount } from "../../orchestrator/chain/devnet.ts";
import type { DrivenChain } from "../../orchestrator/chain/driven.ts";
import { openEmbeddedChain } from "../../orchestrator/chain/embedded.ts";
import { RpcUnreachable } from "../../orchestrator/chain/errors.ts";
import { chainOver } from "../../orchestrator/chain/rpc.ts";

/** Returns as many zeros as its argument says; reverts when that is zero. */
const ZEROS: Hex = "0x600d80600b6000396000f35f3580156009575ff35b5f5ffd";
const wall = { millis: () => 0, sleep: () => Promise.reject(new Error("nobody should sleep")) };

describe("views that are asked together", () => {
  let chain: DrivenChain;
  let zeros: Address;
  let requests: string[];

  before(async () => {
    chain = await openEmbeddedChain();
    const account = devnetAccount(0);
    const raw = await account.signTransaction({
      ...{ type: "eip1559", chainId: chain.id, nonce: 0, data: ZEROS, gas: 200_000n },
      ...{ maxFeePerGas: 20_000_000_000n, maxPriorityFeePerGas: 0n },
    });
    await chain.broadcast([raw]);
    zeros = getContractAddress({ from: account.address, nonce: 0n });
  });
  after(() => chain.close());
  beforeEach(() => {
    requests = [];
  });

  async function asked(sizes: readonly number[], node: Request = chain.request) {
    const counted: Request = (call) => {
      if (call.method === "eth_call") requests.push(call.method);
      return node(call);
    };
    const { publicClient } = await chainOver(counted, { wall, gathers: true });
    return Promise.all(
      sizes.map((bytes) =>
        publicClient.call({ to: zeros, data: toHex(bytes, { size: 32 }) }).then(
          ({ data }) => size(data ?? "0x"),
          () => "failed",
        ),
      ),
    );
  }

  it("are one request", async () => {
    expect(await asked([32, 64, 96])).to.deep.equal([32, 64, 96]);
    expect(requests).to.have.length(1);
  });

  it("are answered whatever size their answers have together", async () => {
    expect(await asked([9_000, 9_000, 9_000, 9_000])).to.deep.equal([9_000, 9_000, 9_000, 9_000]);
    expect(requests).to.have.length(3);
  });

  it("keep to themselves what fails", async () => {
    expect(await asked([32, 0, 30_000, 0, 64])).to.deep.equal([32, "failed", 30_000, "failed", 64]);
  });

  it("are not asked again where no answer came", async () => {
    const silent: Request = (call) =>
      call.method === "eth_call" ? Promise.reject(new RpcUnreachable("http://127.0.0.1:1", "refused")) : chain.request(call);
    expect(await asked([32, 64], silent)).to.deep.equal(["failed", "failed"]);
    expect(requests).to.have.length(1);
  });
});
