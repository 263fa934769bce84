/** Wallets of this browser, by wagmi: loaded by pages that sign. Keys never reach the page: it requests, the wallet signs. */
import { useQuery } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from "react";
import { Outlet } from "react-router";
import { BaseError, defineChain, serializeTypedData, type TypedDataDefinition } from "viem";
import {
  type Connector,
  createConfig,
  http,
  injected,
  useConfig,
  useConnect,
  useConnection,
  useConnectors,
  useSignMessage,
  useSignTypedData,
  useSwitchChain,
  WagmiProvider,
} from "wagmi";
import { plainLine } from "../../../orchestrator/primitives/plain-text.ts";
import type { CityDocument } from "../city/answers.ts";
import { ask } from "../city/gateway.ts";
import { type Bearer, openSession } from "../city/sign-in.ts";
import { Asked } from "../parts/asked.tsx";
import { useBearer } from "./bearer.tsx";

export class NoWallet extends Error {
  readonly code = "NoWallet";
  readonly action = "install a wallet, unlock it, and reload the page; or copy the command and sign in a terminal";
  constructor() {
    super("This browser has no wallet");
  }
}

/** The choice between several wallets was cancelled. */
export class NoneChosen extends Error {
  readonly code = "NoneChosen";
  constructor() {
    super("No wallet was chosen");
  }
}

/** The wallet is on another chain and cannot be switched to the city's. */
export class WrongChain extends Error {
  readonly code = "WrongChain";
  readonly action: string;
  constructor({ id, name, rpcUrls }: CityChain, shown: number | undefined) {
    super(`The wallet shows chain ${shown}, and signs for no other; this city is on ${name}, chain ${id}`);
    const [rpc] = rpcUrls.default.http;
    this.action = `choose chain ${id} in the wallet${rpc === undefined ? "" : `, or add it there with the address ${rpc} (some wallets take http: for this machine only, others not at all)`}; or copy the command and sign in a terminal`;
  }
}

/** A wallet's own error message, without its library's additions. */
export class WalletRefused extends Error {
  readonly code = "WalletRefused";
}

/** The text of an order differs from the wallet's form: it is not signed. */
class OtherText extends Error {
  readonly code = "OtherText";
  readonly action = "draft the order again, and do not sign this one";
  constructor() {
    super("The message shown is not in the form that a wallet signs");
  }
}

type CityChain = ReturnType<typeof chainOf>;

/** The city's chain; its URL is where a wallet on the same machine reaches it. */
function chainOf({ chainId, network, faces }: CityDocument["document"]) {
  const nativeCurrency = { name: "Ether", symbol: "ETH", decimals: 18 };
  const rpc = faces["rpc"];
  return defineChain({
    ...{ id: chainId, name: `AgentCity ${network}`, nativeCurrency },
    rpcUrls: { default: { http: rpc === undefined ? [] : [rpc] } },
  });
}

/** Not stored in the browser, and not used for reading the chain, which is the gateway's task. */
async function configOfCity() {
  const chain = chainOf((await ask<CityDocument>("/v1/city")).document);
  return createConfig({ chains: [chain], connectors: [injected()], transports: { [chain.id]: http() }, storage: null });
}

/** The pending choice between several wallets. */
interface Choice {
  readonly found: readonly Connector[];
  readonly choose: (connector: Connector) => void;
  readonly decline: () => void;
}
const Asking = createContext<(found: readonly Connector[]) => Promise<Connector>>(() => Promise.reject(new NoWallet()));

/** Around pages that sign. One configuration per document, so that a wallet stays connected across pages. */
export function WithWallets({ children }: { readonly children: ReactNode }) {
  const config = useQuery({
    queryKey: ["wallets"],
    queryFn: configOfCity,
    ...{ staleTime: Number.POSITIVE_INFINITY, gcTime: Number.POSITIVE_INFINITY, structuralSharing: false },
  });
  const [choice, setChoice] = useState<Choice>();
  const choose = useMemo(
    () => (found: readonly Connector[]) =>
      new Promise<Connector>((resolve, reject) => setChoice({ found, choose: resolve, decline: () => reject(new NoneChosen()) })).finally(
        () => setChoice(undefined),
      ),
    [],
  );
  return (
    <Asked of={config}>
      {(found) => (
        <WagmiProvider config={found} reconnectOnMount={false}>
          <Asking value={choose}>{children}</Asking>
          {choice !== undefined && <WalletChoice choice={choice} />}
        </WagmiProvider>
      )}
    </Asked>
  );
}

/** Around the routes of pages that sign. */
export function Component() {
  return (
    <WithWallets>
      <Outlet />
    </WithWallets>
  );
}

function WalletChoice({ choice: { found, choose, decline } }: { readonly choice: Choice }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className="wallets" aria-labelledby="wallets" onClose={decline}>
      <h2 id="wallets">Which wallet signs?</h2>
      {found.map((connector) => (
        <button key={connector.uid} type="button" onClick={() => choose(connector)}>
          {plainLine(connector.name.slice(0, 60))}
        </button>
      ))}
      <button type="button" onClick={decline}>
        None
      </button>
    </dialog>
  );
}

export interface Wallet {
  readonly account: `0x${string}` | undefined;
  readonly chain: CityChain;
  /** The wallet's chain, if it is not the city's: it signs for no other. */
  readonly strays: number | undefined;
  /** Requests the wallet's account, after a choice between several wallets. Throws NoWallet, NoneChosen, WalletRefused. */
  connect(): Promise<`0x${string}`>;
  /** Switches the wallet to the city's chain, adding it if necessary. Throws WrongChain. */
  showChain(): Promise<void>;
  /** Signs exactly this text. Throws OtherText, WalletRefused. */
  signTypedData(json: string): Promise<string>;
  /** Authenticates the key to the gateway, for content that only adjudicators may read. */
  signIn(): Promise<Bearer>;
}

/** With announced wallets (EIP-6963) the page's own, nameless one is a duplicate. */
function wallets(connectors: readonly Connector[]): readonly Connector[] {
  const announced = connectors.filter(({ id }) => id !== "injected");
  if (announced.length > 0) return announced;
  return "ethereum" in window ? connectors : [];
}

export function useWallet(): Wallet {
  const [chain] = useConfig().chains as readonly [CityChain];
  const { address: account, chainId: shown } = useConnection();
  const connectors = useConnectors();
  const choose = useContext(Asking);
  const { hold } = useBearer();
  const { mutateAsync: connectTo } = useConnect();
  const { mutateAsync: switchTo } = useSwitchChain();
  const { mutateAsync: signMessage } = useSignMessage();
  const { mutateAsync: signTypedData } = useSignTypedData();

  async function connect(): Promise<`0x${string}`> {
    if (account !== undefined) return account;
    const found = wallets(connectors);
    const [first] = found;
    if (first === undefined) throw new NoWallet();
    const connector = found.length === 1 ? first : await choose(found);
    const { accounts } = await plainly(connectTo({ connector }));
    return accounts[0];
  }
  return {
    ...{ account, chain, connect },
    strays: account === undefined || shown === chain.id ? undefined : shown,
    async showChain() {
      await switchTo({ chainId: chain.id }).catch(() => {
        throw new WrongChain(chain, shown);
      });
    },
    async signTypedData(json) {
      const typedData: TypedDataDefinition = JSON.parse(json);
      if (serializeTypedData(typedData) !== json) throw new OtherText();
      return plainly(signTypedData(typedData));
    },
    async signIn() {
      const own = await connect();
      const key = { chainId: chain.id, account: own, signMessage: (message: string) => plainly(signMessage({ account: own, message })) };
      const bearer = await openSession(key);
      hold(bearer);
      return bearer;
    },
  };
}

async function plainly<Answer>(asked: Promise<Answer>): Promise<Answer> {
  try {
    return await asked;
  } catch (error) {
    throw error instanceof BaseError ? new WalletRefused(error.details === "" ? error.shortMessage : error.details) : error;
  }
}
