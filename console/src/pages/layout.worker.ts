import { Graph, layout } from "@dagrejs/dagre";
import type { Laid, ToLay } from "./lay-out.ts";

self.onmessage = ({ data }: MessageEvent<ToLay>) => {
  const graph = new Graph();
  graph.setGraph({ rankdir: "LR", nodesep: 24, ranksep: 70 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const id of data.nodes) graph.setNode(id, { width: data.width, height: data.height });
  for (const [from, to] of data.edges) graph.setEdge(from, to);
  layout(graph);
  const places: Laid = data.nodes.map((id) => {
    const { x, y } = graph.node(id);
    return { id, x: x - data.width / 2, y: y - data.height / 2 };
  });
  self.postMessage(places);
};
