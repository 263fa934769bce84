import elk, { type ElkNode } from "elkjs/lib/elk-api.js";
import elkWorker from "elkjs/lib/elk-worker.min.js?url";

export interface ToLay {
  readonly nodes: readonly string[];
  readonly edges: readonly (readonly [from: string, to: string])[];
  readonly width: number;
  readonly height: number;
}
export type Laid = readonly { readonly id: string; readonly x: number; readonly y: number }[];

/** From left to right in layers, each part after those that it waits for. */
const LAYERED = {
  "elk.algorithm": "layered",
  "elk.direction": "RIGHT",
  "elk.spacing.nodeNode": "24",
  "elk.layered.spacing.nodeNodeBetweenLayers": "70",
  // Edges are drawn by the page: where ELK would bend them is not asked.
  "elk.edgeRouting": "POLYLINE",
  // One try at few crossings: of 256 nodes and 900 edges, 1.3 s of a processor instead of 3.3.
  "elk.layered.thoroughness": "1",
  "elk.layered.crossingMinimization.greedySwitch.type": "OFF",
};

/**
 * A layered layout (ELK), in a worker of its own: a large law must not stop the page, and a megabyte of code is loaded where a graph is
 * drawn. Calls back once, unless it is ended before by what it returns.
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
