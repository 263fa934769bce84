import { expect } from "chai";
import { type Address, getContractAddress, type Hex } from "viem";
import { devnetAccount } from "../../orchestrator/chain/devnet.ts";
import type { DrivenChain } from "../../orchestrator/chain/driven.ts";
import { openEmbeddedChain } from "../../orchestrator/chain/embedded.ts";
import { TransactionReverted } from "../../orchestrator/chain/errors.ts";
import { readSignedCall, relay } from "../../orchestrator/chain/relay.ts";
import { InvalidValue } from "../../orchestrator/primitives/errors.ts";
import { rejection } from "../support/rejection.ts";

/** Creation code of a contract that reverts whatever it is asked. */
const REFUSES: Hex = "0x625f5ffd5f526003601df3";
const refuse = (why: string) => new InvalidValue("transaction", why);

describe("what others signed and a city sends on", () => {
  let chain: DrivenChain;
  const account = devnetAccount(0);
  const fees = { gas: 200_000n, maxFeePerGas: 20_000_000_000n, maxPriorityFeePerGas: 0n } as const;
  const sign = (nonce: number, fields: { readonly to?: Address; readonly data?: Hex }) =>
    account.signTransaction({ type: "eip1559", chainId: chain.id, nonce, ...fees, ...fields });
  const sendOn = async (raw: Hex) => {
    const call = await readSignedCall(raw, chain.id, refuse);
    await relay(chain, [{ ...call, what: "call" }], [], refuse);
  };

  beforeEach(async () => {
    chain = await openEmbeddedChain();
  });
  afterEach(() => chain.close());

  it("is sent once, however often it comes", async () => {
    const raw = await sign(0, { to: account.address });
    for (let time = 0; time < 3; time += 1) await sendOn(raw);
    expect(chain.head().number).to.equal(1n);
  });

  it("is refused where it would revert, and where the chain has it and it did", async () => {
    await chain.broadcast([await sign(0, { data: REFUSES })]);
    const raw = await sign(1, { to: getContractAddress({ from: account.address, nonce: 0n }) });
    const phase = async () => {
      const error = await rejection(sendOn(raw));
      return error instanceof TransactionReverted ? error.phase : error;
    };
    expect(await phase()).to.equal("simulated");
    await chain.broadcast([raw]);
    expect(await phase()).to.equal("mined");
  });
});
