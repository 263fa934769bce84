import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from "react";
import type { CityDocument } from "../city/answers.ts";
import { ask } from "../city/gateway.ts";
import { type Bearer, connect, signIn, type Wallet } from "../city/wallet.ts";

interface Signing {
  readonly wallet: Wallet | undefined;
  /** A session of fifteen minutes that reads; it can change nothing. */
  readonly bearer: Bearer | undefined;
  /** Asks the wallet for its account. */
  readonly connect: () => Promise<Wallet>;
  /** Shows the gateway whose key it is, for evidence that only adjudicators may read. */
  readonly signIn: () => Promise<Bearer>;
}

const Context = createContext<Signing | undefined>(undefined);

export function WithWallet({ children }: { readonly children: ReactNode }) {
  const [wallet, setWallet] = useState<Wallet>();
  const [bearer, setBearer] = useState<Bearer>();
  const doConnect = useCallback(async () => {
    const found = await connect();
    setWallet(found);
    return found;
  }, []);
  const doSignIn = useCallback(async () => {
    const own = wallet ?? (await doConnect());
    const { document } = await ask<CityDocument>("/v1/city");
    const opened = await signIn(own, document.chainId);
    setBearer(opened);
    return opened;
  }, [wallet, doConnect]);
  const value = useMemo(() => ({ wallet, bearer, connect: doConnect, signIn: doSignIn }), [wallet, bearer, doConnect, doSignIn]);
  return <Context value={value}>{children}</Context>;
}

export function useSigning(): Signing {
  const signing = useContext(Context);
  if (signing === undefined) throw new Error("this page is outside of the wallet's reach");
  return signing;
}
