import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from "react";
import { plainLine } from "../../../orchestrator/primitives/plain-text.ts";
import type { CityDocument } from "../city/answers.ts";
import { ask } from "../city/gateway.ts";
import {
  type Bearer,
  connect,
  type FoundWallet,
  NoneChosen,
  NoWallet,
  type Provider,
  signIn,
  type Wallet,
  wallets,
} from "../city/wallet.ts";

interface Signing {
  readonly wallet: Wallet | undefined;
  /** A session of fifteen minutes that reads; it can change nothing. */
  readonly bearer: Bearer | undefined;
  /** Asks the wallet for its account; of several wallets, first which. */
  readonly connect: () => Promise<Wallet>;
  /** Shows the gateway whose key it is, for evidence that only adjudicators may read. */
  readonly signIn: () => Promise<Bearer>;
}

/** A question that is open: which of several wallets signs. */
interface Choice {
  readonly found: readonly FoundWallet[];
  readonly choose: (provider: Provider) => void;
  readonly decline: () => void;
}

const Context = createContext<Signing | undefined>(undefined);

export function WithWallet({ children }: { readonly children: ReactNode }) {
  const [wallet, setWallet] = useState<Wallet>();
  const [bearer, setBearer] = useState<Bearer>();
  const [choice, setChoice] = useState<Choice>();
  const doConnect = useCallback(async () => {
    const found = wallets();
    const [first] = found;
    if (first === undefined) throw new NoWallet();
    const provider =
      found.length === 1
        ? first.provider
        : await new Promise<Provider>((choose, reject) => setChoice({ found, choose, decline: () => reject(new NoneChosen()) })).finally(
            () => setChoice(undefined),
          );
    const { document } = await ask<CityDocument>("/v1/city");
    const { chainId, network, faces } = document;
    const own = await connect({ chainId, network, rpc: faces["rpc"] }, provider);
    setWallet(own);
    return own;
  }, []);
  const doSignIn = useCallback(async () => {
    const own = wallet ?? (await doConnect());
    const { document } = await ask<CityDocument>("/v1/city");
    const opened = await signIn(own, document.chainId);
    setBearer(opened);
    return opened;
  }, [wallet, doConnect]);
  const value = useMemo(() => ({ wallet, bearer, connect: doConnect, signIn: doSignIn }), [wallet, bearer, doConnect, doSignIn]);
  return (
    <Context value={value}>
      {children}
      {choice !== undefined && <WalletChoice choice={choice} />}
    </Context>
  );
}

function WalletChoice({ choice: { found, choose, decline } }: { readonly choice: Choice }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className="wallets" aria-labelledby="wallets" onClose={decline}>
      <h2 id="wallets">Which wallet signs?</h2>
      {found.map(({ name, provider }, place) => (
        // Two may call themselves the same.
        // biome-ignore lint/suspicious/noArrayIndexKey: their order is all that tells them apart
        <button key={place} type="button" onClick={() => choose(provider)}>
          {plainLine(name.slice(0, 60))}
        </button>
      ))}
      <button type="button" onClick={decline}>
        None
      </button>
    </dialog>
  );
}

export function useSigning(): Signing {
  const signing = useContext(Context);
  if (signing === undefined) throw new Error("this page is outside of the wallet's reach");
  return signing;
}
