import { z } from "zod";
import { resultSchema, workSchema } from "../../execution/work.ts";
import { contentIdFromDigest, parseContentId } from "../../primitives/hash.ts";
import type { ContentId } from "../../primitives/hex.ts";
import { hashSchema } from "../../primitives/hex.ts";
import { parseJsonBytes } from "../../primitives/json.ts";
import { type Command, command } from "../command.ts";
import { Refused } from "../errors.ts";
import { recordsOf } from "../payloads.ts";
import { mayReadOf } from "../reading.ts";
import { address, contentId, count, hash } from "../wire.ts";
import { missionNamed } from "./missions.ts";

/** Total size of items and outputs in one answer, bytes; larger ones are referenced, and in the bundle. */
const MOST = 4_000_000;

const piece = z.strictObject({
  contentId,
  /** Keccak of its bytes; for an output, as the executor committed on chain. */
  hash,
  /** Null if it is not stored here, or too large for this answer. */
  content: z.json().nullable(),
});

export const nodeWorkOutput = z.strictObject({
  /** Items of the mission's input, in order; null if the caller may not read them. */
  items: z.array(z.json()).nullable(),
  /** What executors handed in, oldest first; null if the caller may not read it yet. */
  outputs: z.array(piece).nullable(),
  /** What the node passes on, once done. */
  result: piece.nullable(),
});

const itemsSchema = z.array(z.json());

async function collected<Each>(of: AsyncIterable<Each>): Promise<readonly Each[]> {
  const found: Each[] = [];
  for await (const each of of) found.push(each);
  return found;
}

export const nodeWorkCommands: readonly Command[] = [
  command({
    name: "get_work",
    method: "GET",
    path: "/v1/missions/{mission}/nodes/{node}/work",
    group: "Missions",
    doc: "A node's input and results, for callers who may read them (docs/read-access.md): the sponsor, those with a part in the node, and anyone once a public mission is over. For others the node is reported as unknown.",
    access: "reader",
    cost: 10,
    input: z.strictObject({ mission: address, node: count.max(255) }),
    output: nodeWorkOutput,
    async run(world, { mission: named, node }, caller) {
      const { blocks } = world;
      const found = await missionNamed(world, named);
      const subject = { ...found, node };
      const law = await world.laws.of(found.mission);
      const own = law?.document.nodes[node];
      // Which nodes exist is public, from the law.
      const [mayItems, mayOutputs] = await Promise.all(
        (["items", "output"] as const).map((object) => own !== undefined && mayReadOf(world, caller, object, subject)),
      );
      if (law === undefined || own === undefined || !(mayItems || mayOutputs))
        throw new Refused("NotFound", `There is no readable work of node ${node} of ${found.mission} here`, {
          action: "its law lists its nodes, docs/read-access.md who may read what; POST /v1/session opens a session",
        });
      let left = MOST;
      const pieceOf = (id: ContentId, outputHash: string) => {
        const bytes = blocks.has(id) ? blocks.get(id) : undefined;
        left -= bytes?.length ?? 0;
        return { contentId: id, hash: outputHash, content: bytes === undefined || left < 0 ? null : z.json().parse(parseJsonBytes(bytes)) };
      };
      const input = contentIdFromDigest(hashSchema.parse(law.document.input.digest));
      const all = mayItems && own.shard !== null && blocks.has(input) ? itemsSchema.parse(parseJsonBytes(blocks.get(input))) : [];
      const about = { missionId: found.missionId, nodeId: node };
      const works = mayOutputs ? await collected(recordsOf(world, { ...about, name: "execution.work" }, workSchema)) : [];
      const [result] = mayOutputs ? await collected(recordsOf(world, { ...about, name: "execution.result" }, resultSchema)) : [];
      return {
        items: mayItems ? all.slice(own.shard?.from ?? 0, own.shard?.to ?? 0) : null,
        outputs: mayOutputs ? works.flatMap((work) => (work.ok ? [pieceOf(parseContentId(work.outputId), work.outputHash)] : [])) : null,
        result: result === undefined ? null : pieceOf(parseContentId(result.outputId), result.outputHash),
      };
    },
  }),
];
