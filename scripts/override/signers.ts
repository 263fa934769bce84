import { getAddress, type LocalAccount } from "viem";
import { z } from "zod";
import { DEVNET_CHAIN_ID } from "../../orchestrator/chain/devnet.ts";
import { requestOver } from "../../orchestrator/chain/rpc.ts";
import { devnetSociety, memberOf } from "../../orchestrator/city/founding/society.ts";
import { accountFrom, adjudicatorAccount, NoSuchSeat, signerAccount } from "../../orchestrator/cli/keys.ts";
import { signOrder } from "../../orchestrator/client/sign/order.ts";
import type { SigningDomain } from "../../orchestrator/client/sign/sign-message.ts";
import { walletJson } from "../../orchestrator/client/sign/wallet-json.ts";
import { addressSchema } from "../../orchestrator/primitives/address.ts";
import { InvalidValue } from "../../orchestrator/primitives/errors.ts";
import { type Address, type Hex, hexSchema } from "../../orchestrator/primitives/hex.ts";
import type { OverrideAction } from "../../orchestrator/protocol/acts.ts";

/** A signer: a key of this process, or a wallet that asks its holder. */
export interface Signer {
  readonly address: Address;
  sign(domain: SigningDomain, message: OverrideAction): Promise<Hex>;
}

export interface SignerOptions {
  /** A seat of the devnet, by name. */
  readonly as?: string;
  /** JSON-RPC of a wallet on this machine. */
  readonly wallet?: string;
}

/** A wallet waits for its holder to confirm. */
const WALLET_PATIENCE = 300_000;

/** The adjudicator at this terminal. Keys come from the environment, a keystore or a wallet, never from the command line. */
export async function signerOf(chainId: number, { as, wallet }: SignerOptions): Promise<Signer> {
  if (wallet !== undefined) return walletSigner(wallet, as);
  const account = adjudicatorAccount(chainId, as);
  return {
    address: account.address,
    sign: (domain, message) => signOrder(domain, account, message),
  };
}

/** Account that pays for a transaction: a relayer's key, or on a devnet the deployer, which sends nothing after genesis. */
export function payerOf(chainId: number): LocalAccount {
  const own = accountFrom("AGENTCITY_RELAYER_KEY");
  if (own !== undefined) return own;
  if (chainId === DEVNET_CHAIN_ID) return memberOf(devnetSociety(), "deployer").account;
  return signerAccount("AGENTCITY_RELAYER_KEY", "relayer");
}

/** EIP-1193 methods that Frame, a Ledger bridge or Clef answer; `address` chooses among the wallet's accounts. */
async function walletSigner(url: string, address: string | undefined): Promise<Signer> {
  const { hostname, protocol } = new URL(url);
  if (protocol !== "http:" || !["127.0.0.1", "localhost", "[::1]"].includes(hostname)) {
    throw new InvalidValue("--wallet", "only wallets on this machine are supported", { details: url, action: "http://127.0.0.1:1248" });
  }
  const request = requestOver(url, WALLET_PATIENCE, { retries: 0 });
  const accounts = z.array(addressSchema).parse(await request({ method: "eth_requestAccounts" }));
  const chosen = address === undefined ? accounts[0] : accounts.find((each) => each === getAddress(address));
  if (chosen === undefined) throw new NoSuchSeat(address ?? "the wallet's account", `the wallet offers ${accounts.join(", ") || "none"}`);
  return {
    address: chosen,
    async sign(domain, message) {
      return hexSchema.parse(await request({ method: "eth_signTypedData_v4", params: [chosen, walletJson(domain, message)] }));
    },
  };
}
