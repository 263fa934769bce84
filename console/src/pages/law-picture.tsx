import "@xyflow/react/dist/style.css";
import { Button, Group, Text, useComputedColorScheme } from "@mantine/core";
import { type Edge, Handle, MarkerType, type Node, type NodeProps, Position, ReactFlow, useReactFlow, useStore } from "@xyflow/react";
import { type ReactNode, useCallback, useEffect, useMemo, useState } from "react";
import { Link } from "react-router";
import { plainLine } from "../../../orchestrator/primitives/plain-text.ts";
import { Quoted } from "../parts/quoted.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import { CLASSES, type StateWords, stateWords, TIERS } from "../parts/words.ts";
import { type Box, type DrawnNode, lawGraph, MAX_NODES } from "./law-graph.ts";
import { type Laid, layOut } from "./lay-out.ts";

const WIDTH = 230;
const HEIGHT = 104;

type BoxNode = Node<
  {
    readonly box: Box;
    readonly isOpen: boolean;
    readonly onOpen: (task: string) => void;
    readonly linkTo: (number: number) => string;
  },
  "box"
>;
const nodeTypes = { box: BoxOfGraph };

interface PictureProps {
  readonly nodes: readonly DrawnNode[];
  readonly current: number | undefined;
  /** Link to a node's panel. */
  readonly linkTo: (number: number) => string;
  /** Its state in words; default: its final state. */
  readonly words?: (state: string | undefined) => StateWords;
  /** Draw and list only these parts; default: all. */
  readonly only?: ReadonlySet<number> | undefined;
  /** The open node's panel. */
  readonly children?: ReactNode;
}

/** A law as a graph and as a table, with space for the open node next to the graph. */
export function LawPicture({ nodes: all, current, linkTo, words = stateWords, only, children }: PictureProps) {
  const nodes = useMemo(() => (only === undefined ? all : all.filter(({ law }) => only.has(law.number))), [all, only]);
  const labels = useMemo(() => new Map(all.map(({ law }) => [law.number, law.label])), [all]);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const open = useCallback((task: string) => setOpened((before) => new Set([...before, task])), []);
  return (
    <>
      <Legend nodes={nodes} words={words} />
      {nodes.length > MAX_NODES && (
        <Group my="sm">
          <Text size="sm">More than {MAX_NODES} parts: those of one task are shown as one box. Choose it to see them.</Text>
          {opened.size > 0 && (
            <Button size="compact-sm" variant="default" onClick={() => setOpened(new Set())}>
              Close them again
            </Button>
          )}
        </Group>
      )}
      <div className="split" data-open={current !== undefined}>
        <Graph nodes={nodes} opened={opened} current={current} onOpen={open} linkTo={linkTo} />
        {children}
      </div>
      <Twin nodes={nodes} labels={labels} linkTo={linkTo} />
    </>
  );
}

function Legend({ nodes, words }: { readonly nodes: readonly DrawnNode[]; readonly words: (state: string | undefined) => StateWords }) {
  const states = [...new Map(nodes.map(({ end }) => [end?.state, words(end?.state)])).values()];
  return (
    <div className="legend">
      {states.map((state) => (
        <span key={state.word}>
          <StateMark state={state} /> {state.means}
        </span>
      ))}
    </div>
  );
}

interface GraphProps {
  readonly nodes: readonly DrawnNode[];
  readonly linkTo: (number: number) => string;
  readonly opened: ReadonlySet<string>;
  readonly current: number | undefined;
  readonly onOpen: (task: string) => void;
}

function Graph({ nodes: drawn, opened, current, onOpen, linkTo }: GraphProps) {
  const scheme = useComputedColorScheme("light");
  const graph = useMemo(() => lawGraph(drawn, opened), [drawn, opened]);
  // States change all the time; only a changed shape needs a new layout.
  const shape = JSON.stringify([graph.boxes.map(({ id }) => id), graph.edges]);
  const [laid, setLaid] = useState<{ readonly shape: string; readonly places: Laid }>();
  useEffect(() => {
    const [ids, edges] = JSON.parse(shape) as [string[], [string, string][]];
    return layOut({ nodes: ids, edges, width: WIDTH, height: HEIGHT }, (places) => setLaid({ shape, places }));
  }, [shape]);
  const nodes = useMemo(() => {
    const boxes = new Map(graph.boxes.map((box) => [box.id, box]));
    return (laid?.shape === shape ? laid.places : []).flatMap(({ id, x, y }): BoxNode[] => {
      const box = boxes.get(id);
      if (box === undefined) return [];
      const isOpen = box.nodes.length === 1 && box.nodes[0]?.law.number === current;
      return [{ id, type: "box", position: { x, y }, data: { box, isOpen, onOpen, linkTo }, width: WIDTH, height: HEIGHT }];
    });
  }, [laid, shape, graph, current, onOpen, linkTo]);
  const edges = useMemo(
    () =>
      graph.edges.map(
        ([source, target]): Edge => ({
          id: `${source}→${target}`,
          source,
          target,
          markerEnd: { type: MarkerType.ArrowClosed, width: 20, height: 20 },
        }),
      ),
    [graph],
  );
  return (
    <section className="graph" aria-label="Graph of the law. The table below says the same.">
      {nodes.length === 0 ? (
        <div className="checking" role="status">
          The graph is laid out …
        </div>
      ) : (
        <ReactFlow
          key={graph.boxes.length}
          nodes={nodes}
          edges={edges}
          nodeTypes={nodeTypes}
          colorMode={scheme}
          fitView
          minZoom={0.05}
          nodesDraggable={false}
          nodesConnectable={false}
          nodesFocusable={false}
          edgesFocusable={false}
          elementsSelectable={false}
          onlyRenderVisibleElements
          zoomOnScroll={false}
          preventScrolling={false}
          proOptions={{ hideAttribution: true }}
        >
          <FitToRoom />
        </ReactFlow>
      )}
    </section>
  );
}

/** Fits the graph again when its space changes: a panel opens or closes, or the window is resized. */
function FitToRoom() {
  const { fitView } = useReactFlow();
  const width = useStore((state) => state.width);
  useEffect(() => {
    if (width > 0) void fitView();
  }, [width, fitView]);
  return null;
}

function BoxOfGraph({ data: { box, isOpen, onOpen, linkTo } }: NodeProps<BoxNode>) {
  const [first] = box.nodes;
  const single = box.nodes.length === 1 ? first : undefined;
  const inside = (
    <>
      <strong>{plainLine((single?.law.label ?? `${box.task} × ${box.nodes.length}`).slice(0, 80))}</strong>
      <StateMark state={{ ...box.state, word: box.words }} />
      <span className="line">
        tier {first?.law.tier}: {TIERS[first?.law.tier ?? 0]}
      </span>
      <span className="line">
        floor {first?.law.floor}
        {single !== undefined && ` · ${executorsOf(single)}`}
      </span>
    </>
  );
  return (
    <>
      <Handle type="target" position={Position.Left} isConnectable={false} />
      {single === undefined ? (
        <button type="button" className="work" data-look={box.state.look} onClick={() => onOpen(box.task)}>
          {inside}
        </button>
      ) : (
        <Link className="work" data-look={box.state.look} aria-current={isOpen} to={linkTo(single.law.number)}>
          {inside}
        </Link>
      )}
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </>
  );
}

/** Of the last attempt. */
function executorsOf({ end }: DrawnNode): string {
  const last = Math.max(0, ...(end?.executors ?? []).map(({ attempt }) => attempt));
  const names = (end?.executors ?? []).filter(({ attempt }) => attempt === last).map(({ agent }) => plainLine(agent.slice(0, 42)));
  return names.length === 0 ? "no one" : names.join(", ");
}

function Twin({ nodes, labels, linkTo }: Pick<PictureProps, "nodes" | "linkTo"> & { readonly labels: ReadonlyMap<number, string> }) {
  return (
    <div className="wide">
      <table>
        <caption>The same as a table</caption>
        <thead>
          <tr>
            {["Part", "State", "Tier", "Evidence needed", "Executors", "Waits for"].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {nodes.map((node) => (
            <tr key={node.law.number}>
              <th scope="row">
                <Link to={linkTo(node.law.number)}>
                  <Quoted text={node.law.label} short={80} />
                </Link>
              </th>
              <td>
                <StateMark state={stateWords(node.end?.state)} />
              </td>
              <td>
                {node.law.tier}: {TIERS[node.law.tier]}
              </td>
              <td>
                {node.law.floor}: {CLASSES[node.law.floor]}
              </td>
              <td>{executorsOf(node)}</td>
              <td>
                {node.law.after.length === 0
                  ? "nothing"
                  : node.law.after.map((number) => plainLine((labels.get(number) ?? "").slice(0, 80))).join(", ")}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
