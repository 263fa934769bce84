import { Text, Title } from "@mantine/core";
import { useParams } from "react-router";
import { plainLine } from "../../../orchestrator/primitives/plain-text.ts";
import type { MissionView } from "../bundle/view.ts";
import { Quoted } from "../parts/quoted.tsx";
import { WithMission } from "../parts/states.tsx";
import { LawPicture } from "./law-picture.tsx";
import { NodePanel } from "./node-panel.tsx";

/** The law as a graph and as a table, with the node that the URL names next to them. */
export function Component() {
  return <WithMission>{(view) => <Law view={view} />}</WithMission>;
}

function Law({ view }: { readonly view: MissionView }) {
  const { node: named } = useParams();
  const node = view.nodes.find(({ law }) => String(law.number) === named);
  return (
    <>
      <Title order={1}>Law and work</Title>
      <Text>
        The law “<Quoted text={view.title} short={100} />” divides the mission into {view.nodes.length} parts. Arrows show what each part
        waits for. Choose one to see why it cleared, or not.
      </Text>
      <LawPicture nodes={view.nodes} current={node?.law.number} linkTo={linkTo}>
        {node !== undefined && <NodePanel key={node.law.number} node={node} />}
        {named !== undefined && node === undefined && <Text role="alert">The law has no part {plainLine(named.slice(0, 20))}.</Text>}
      </LawPicture>
    </>
  );
}

const linkTo = (number: number) => `/law/${number}`;
