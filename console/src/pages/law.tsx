import "@xyflow/react/dist/style.css";
import { Button, Group, Text, Title, useComputedColorScheme } from "@mantine/core";
import { type Edge, Handle, MarkerType, type Node, type NodeProps, Position, ReactFlow, useReactFlow, useStore } from "@xyflow/react";
import { useCallback, useEffect, useMemo, useState } from "react";
import { Link, useParams } from "react-router";
import { plainLine } from "../../../orchestrator/primitives/plain-text.ts";
import type { MissionView, NodeView } from "../bundle/view.ts";
import { Quoted } from "../parts/quoted.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import { WithMission } from "../parts/states.tsx";
import { CLASSES, stateWords, TIERS } from "../parts/words.ts";
import { type Box, lawGraph, MOST_NODES } from "./law-graph.ts";
import { type Laid, layOut } from "./lay-out.ts";
import { NodePanel } from "./node-panel.tsx";

const WIDTH = 230;
const HEIGHT = 104;

type BoxNode = Node<{ readonly box: Box; readonly isOpen: boolean; readonly onOpen: (task: string) => void }, "box">;
const nodeTypes = { box: BoxOfGraph };

/** The law as a graph and as a table; beside them the node that the address names. */
export function Component() {
  return <WithMission>{(view) => <Law view={view} />}</WithMission>;
}

function Law({ view }: { readonly view: MissionView }) {
  const { node: named } = useParams();
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const node = view.nodes.find(({ law }) => String(law.number) === named);
  const open = useCallback((task: string) => setOpened((before) => new Set([...before, task])), []);
  return (
    <>
      <Title order={1}>Law and work</Title>
      <Text>
        The law “<Quoted text={view.title} short={100} />” divides the mission into {view.nodes.length} parts. Arrows show what each waits
        for. Choose one to see why it cleared, or not.
      </Text>
      <Legend nodes={view.nodes} />
      {view.nodes.length > MOST_NODES && (
        <Group my="sm">
          <Text size="sm">More than {MOST_NODES} parts: those of one task are shown as one box. Choose it to see them.</Text>
          {opened.size > 0 && (
            <Button size="compact-sm" variant="default" onClick={() => setOpened(new Set())}>
              Close them again
            </Button>
          )}
        </Group>
      )}
      <div className="split" data-open={node !== undefined}>
        <Graph view={view} opened={opened} current={node?.law.number} onOpen={open} />
        {node !== undefined && <NodePanel key={node.law.number} node={node} />}
        {named !== undefined && node === undefined && <Text role="alert">The law has no part {plainLine(named.slice(0, 20))}.</Text>}
      </div>
      <Twin nodes={view.nodes} />
    </>
  );
}

function Legend({ nodes }: { readonly nodes: readonly NodeView[] }) {
  const states = [...new Map(nodes.map(({ end }) => [stateWords(end?.state).word, stateWords(end?.state)])).values()];
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
  readonly view: MissionView;
  readonly opened: ReadonlySet<string>;
  readonly current: number | undefined;
  readonly onOpen: (task: string) => void;
}

function Graph({ view, opened, current, onOpen }: GraphProps) {
  const scheme = useComputedColorScheme("light");
  const graph = useMemo(() => lawGraph(view.nodes, opened), [view, opened]);
  const [laid, setLaid] = useState<{ readonly graph: typeof graph; readonly places: Laid }>();
  useEffect(
    () =>
      layOut({ nodes: graph.boxes.map(({ id }) => id), edges: graph.edges, width: WIDTH, height: HEIGHT }, (places) =>
        setLaid({ graph, places }),
      ),
    [graph],
  );
  const nodes = useMemo(() => {
    const boxes = new Map(graph.boxes.map((box) => [box.id, box]));
    return (laid?.graph === graph ? laid.places : []).flatMap(({ id, x, y }): BoxNode[] => {
      const box = boxes.get(id);
      if (box === undefined) return [];
      const isOpen = box.nodes.length === 1 && box.nodes[0]?.law.number === current;
      return [{ id, type: "box", position: { x, y }, data: { box, isOpen, onOpen }, width: WIDTH, height: HEIGHT }];
    });
  }, [laid, graph, current, onOpen]);
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

/** Shows the whole graph again when the room beside it changes: a part's panel opens or closes, or the window does. */
function FitToRoom() {
  const { fitView } = useReactFlow();
  const width = useStore((state) => state.width);
  useEffect(() => {
    if (width > 0) void fitView();
  }, [width, fitView]);
  return null;
}

function BoxOfGraph({ data: { box, isOpen, onOpen } }: NodeProps<BoxNode>) {
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
        <Link className="work" data-look={box.state.look} aria-current={isOpen} to={`/law/${single.law.number}`}>
          {inside}
        </Link>
      )}
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </>
  );
}

/** Of the last attempt. */
function executorsOf({ end }: NodeView): string {
  const last = Math.max(0, ...(end?.executors ?? []).map(({ attempt }) => attempt));
  const names = (end?.executors ?? []).filter(({ attempt }) => attempt === last).map(({ agent }) => plainLine(agent.slice(0, 42)));
  return names.length === 0 ? "nobody" : names.join(", ");
}

function Twin({ nodes }: { readonly nodes: readonly NodeView[] }) {
  const labels = new Map(nodes.map(({ law }) => [law.number, law.label]));
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
                <Link to={`/law/${node.law.number}`}>
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
