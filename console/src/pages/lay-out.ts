import elk, { type ElkNode } from "elkjs/lib/elk-api.js";
import elkWorker from "elkjs/lib/elk-worker.min.js?url";

export interface ToLay {
  readonly nodes: readonly string[];
  readonly edges: readonly (readonly [from: string, to: string])[];
  readonly width: number;
  readonly height: number;
}
export type Laid = readonly { readonly id: string; readonly x: number; readonly y: number }[];

/** Layers from left to right, each part after those it waits for. */
const LAYERED = {
  "elk.algorithm": "layered",
  "elk.direction": "RIGHT",
  "elk.spacing.nodeNode": "24",
  "elk.layered.spacing.nodeNodeBetweenLayers": "70",
  // The page draws the edges, so ELK does not compute their bends.
  "elk.edgeRouting": "POLYLINE",
  // One attempt at few crossings: for 256 nodes and 900 edges, 1.3 s of a processor instead of 3.3.
  "elk.layered.thoroughness": "1",
  "elk.layered.crossingMinimization.greedySwitch.type": "OFF",
};

/**
 * A layered layout (ELK) in its own worker, so that a large law does not block the page and a megabyte of code is only loaded for graphs.
 * Calls back once, unless the returned function cancels it before.
 */
export function layOut(graph: ToLay, then: (places: Laid) => void): () => void {
  const { nodes, edges, width, height } = graph;
  const children = nodes.map((id) => ({ id, width, height }));
  const arrows = edges.map(([from, to]) => ({ id: `${from}→${to}`, sources: [from], targets: [to] }));
  const layout = new elk.default({ algorithms: ["layered"], workerFactory: () => new Worker(elkWorker, { name: "layout" }) });
  const whole: ElkNode = { id: "law", layoutOptions: LAYERED, children, edges: arrows };
  void layout.layout(whole).then(({ children: laid = [] }) => {
    then(laid.map(({ id, x = 0, y = 0 }) => ({ id, x, y })));
    layout.terminateWorker();
  });
  return () => layout.terminateWorker();
}
