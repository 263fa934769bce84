import { createContext, type ReactNode, useContext, useMemo, useState } from "react";
import type { Bearer } from "../city/sign-in.ts";

interface Held {
  /** A read-only session of fifteen minutes. */
  readonly bearer: Bearer | undefined;
  readonly hold: (bearer: Bearer) => void;
}

const Context = createContext<Held>({ bearer: undefined, hold: () => {} });

/** Keeps the session opened by a wallet across pages. */
export function WithBearer({ children }: { readonly children: ReactNode }) {
  const [bearer, hold] = useState<Bearer>();
  const value = useMemo(() => ({ bearer, hold }), [bearer]);
  return <Context value={value}>{children}</Context>;
}

export const useBearer = (): Held => useContext(Context);
