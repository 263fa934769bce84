import { z } from "zod";
import { fileAppeal, prepareAppeal } from "../../city/missions/appeal.ts";
import { MAX_GROUNDS } from "../../clearing/appeal.ts";
import { hexSchema } from "../../primitives/hex.ts";
import { type Command, cityCommand } from "../command.ts";
import { address, count, hash, toAddress, toHash, units } from "../wire.ts";
import { missionNamed } from "./missions.ts";

const node = count.max(255);
const attempt = count.max(255).meta({ description: "Number of the attempt, from 0" });

export const preparedAppealOutput = z.strictObject({
  transactions: z.array(
    z.strictObject({
      what: z.enum(["approve", "appeal"]),
      to: address,
      data: z.string(),
      chainId: count,
      nonce: count,
      gas: units,
      maxFeePerGas: units,
      maxPriorityFeePerGas: units,
    }),
  ),
  bond: units.meta({ description: "Lost if the appeal is rejected" }),
});

export const filedAppealOutput = z.strictObject({
  evidence: hash,
  /** Who filed an appeal with this text, in order. */
  filed: z.array(z.strictObject({ appellant: address, bond: units })),
});

export const appealCommands: readonly Command[] = [
  cityCommand({
    name: "prepare_appeal",
    method: "GET",
    path: "/v1/missions/{mission}/nodes/{node}/appeal",
    group: "Missions",
    doc: "The transactions by which a party (sponsor, executor, or verifier whose verdict counted) appeals against the outcome of an attempt, for any wallet to sign. `evidence` is the SHA-256 of the text's UTF-8. Refused if the mission would refuse: no party, window over, appealed already.",
    access: "open",
    isOfFiles: true,
    cost: 10,
    input: z.strictObject({ mission: address, node, attempt, appellant: address, evidence: hash }),
    output: preparedAppealOutput,
    async run(world, input) {
      const { mission } = await missionNamed(world, input.mission);
      const terms = { mission, node: input.node, attempt: input.attempt, evidence: toHash(input.evidence) };
      const { calls, bond, chainId, nonce, fees } = await prepareAppeal(world.client, toAddress(input.appellant), terms);
      const [maxFeePerGas, maxPriorityFeePerGas] = [String(fees.maxFeePerGas), String(fees.maxPriorityFeePerGas)];
      const transactions = calls.map((call, place) => ({
        ...{ ...call, chainId, nonce: nonce + place, gas: String(call.gas) },
        ...{ maxFeePerGas, maxPriorityFeePerGas },
      }));
      return { transactions, bond: String(bond) };
    },
  }),
  cityCommand({
    name: "file_appeal",
    method: "POST",
    path: "/v1/appeals",
    group: "Missions",
    doc: "Files an appeal: sends the party's signed transactions to the chain, and keeps its text for the human who rules. Without transactions it only keeps the text of an appeal that is on chain. Repeating it changes nothing.",
    access: "order",
    cost: 40,
    input: z.strictObject({
      ...{ mission: address, node, attempt },
      text: z.string().min(1).max(MAX_GROUNDS),
      transactions: z
        .array(z.string().regex(/^0x[0-9a-f]{2,4000}$/))
        .max(2)
        .optional(),
    }),
    output: filedAppealOutput,
    async run(world, { mission: named, node, attempt, text, transactions = [] }) {
      const { mission } = await missionNamed(world, named);
      const signed = transactions.map((raw) => hexSchema.parse(raw));
      const { evidence, filed } = await fileAppeal(world.client, world.blocks, { mission, node, attempt, text }, signed);
      return { evidence, filed: filed.map(({ appellant, bond }) => ({ appellant, bond: String(bond) })) };
    },
  }),
];
