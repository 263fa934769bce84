/** A layered layout, off the main thread: a large law must not stop the page. */
export interface ToLay {
  readonly nodes: readonly string[];
  readonly edges: readonly (readonly [from: string, to: string])[];
  readonly width: number;
  readonly height: number;
}
export type Laid = readonly { readonly id: string; readonly x: number; readonly y: number }[];

/** Calls back once, unless it is ended before by what it returns. */
export function layOut(graph: ToLay, then: (places: Laid) => void): () => void {
  const worker = new Worker(new URL("./layout.worker.ts", import.meta.url), { type: "module", name: "layout" });
  worker.onmessage = ({ data }: MessageEvent<Laid>) => {
    then(data);
    worker.terminate();
  };
  worker.postMessage(graph);
  return () => worker.terminate();
}
