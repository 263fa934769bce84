import { createContext, type ReactNode, useContext, useMemo, useState } from "react";
import type { Bearer } from "../city/sign-in.ts";

interface Held {
  /** A session of fifteen minutes that reads; it can change nothing. */
  readonly bearer: Bearer | undefined;
  readonly hold: (bearer: Bearer) => void;
}

const Context = createContext<Held>({ bearer: undefined, hold: () => {} });

/** Holds the session that a wallet opened while its holder goes from page to page. */
export function WithBearer({ children }: { readonly children: ReactNode }) {
  const [bearer, hold] = useState<Bearer>();
  const value = useMemo(() => ({ bearer, hold }), [bearer]);
  return <Context value={value}>{children}</Context>;
}

export const useBearer = (): Held => useContext(Context);
