import { createContext, type ReactNode, useCallback, useContext, useMemo, useRef, useState } from "react";
import type { Answer, Opened } from "./messages.ts";
import { NoBundle, readBundle } from "./pick.ts";

export type BundleState =
  | { readonly kind: "empty" }
  | { readonly kind: "reading" }
  | { readonly kind: "verifying"; readonly files: number; readonly bytes: number }
  | { readonly kind: "refused"; readonly problem: string }
  | Opened;

interface Bundle {
  readonly state: BundleState;
  /** Resolves when the bundle is opened or refused. */
  readonly open: (found: Promise<Parameters<typeof readBundle>[0]>) => Promise<boolean>;
}

const Context = createContext<Bundle>({ state: { kind: "empty" }, open: () => Promise.resolve(false) });

/** The page's bundle. It stays on this machine: the worker that reads it may not fetch anything. */
export function OpenedBundle({ children }: { readonly children: ReactNode }) {
  const [state, setState] = useState<BundleState>({ kind: "empty" });
  const turn = useRef(0);
  const open = useCallback<Bundle["open"]>(async (found) => {
    turn.current += 1;
    const own = turn.current;
    const show = (next: BundleState) => {
      if (own === turn.current) setState(next);
    };
    show({ kind: "reading" });
    try {
      const files = await readBundle(await found);
      show({ kind: "verifying", files: files.length, bytes: files.reduce((sum, [, bytes]) => sum + bytes.length, 0) });
      const answer = await ask(files);
      show(answer.kind === "failed" ? { kind: "refused", problem: answer.problem } : answer);
      return answer.kind === "opened" && own === turn.current;
    } catch (error) {
      const problem = error instanceof NoBundle ? error.message : "The files cannot be read. Were they moved or removed?";
      show({ kind: "refused", problem });
      return false;
    }
  }, []);
  const value = useMemo(() => ({ state, open }), [state, open]);
  return <Context value={value}>{children}</Context>;
}

export function useBundle(): Bundle {
  return useContext(Context);
}

function ask(files: (readonly [string, Uint8Array])[]): Promise<Answer> {
  const worker = new Worker(new URL("./verify.worker.ts", import.meta.url), { type: "module", name: "verify" });
  return new Promise<Answer>((resolve) => {
    worker.onmessage = ({ data }: MessageEvent<Answer>) => resolve(data);
    worker.onerror = () => resolve({ kind: "failed", problem: "The verification worker of this page did not start. Reload the page." });
    worker.postMessage({ files }, [...new Set(files.map(([, bytes]) => bytes.buffer as ArrayBuffer))]);
  }).finally(() => worker.terminate());
}
