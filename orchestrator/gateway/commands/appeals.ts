import { stringify } from "viem";
import { z } from "zod";
import { fileAppeal, prepareAppeal } from "../../city/missions/appeal.ts";
import { MAX_GROUNDS } from "../../clearing/appeal.ts";
import { hexSchema } from "../../primitives/hex.ts";
import { type Command, cityCommand } from "../command.ts";
import { address, count, hash, seconds, signed, toAddress, toHash, typed, units } from "../wire.ts";
import { missionNamed } from "./missions.ts";

const node = count.max(255);
const attempt = count.max(255).meta({ description: "Number of the attempt, from 0" });

export const preparedAppealOutput = z.strictObject({
  typedData: typed,
  permit: typed.nullable().meta({ description: "The bond's allowance by signature (ERC-2612); null if the mission may pull it already" }),
  bond: units.meta({ description: "Pulled from the appellant; lost if the appeal is rejected" }),
  token: address.meta({ description: "Of the bond" }),
  deadline: seconds.meta({ description: "Of both signatures: unix seconds, by the chain's clock" }),
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
    doc: "What a party (sponsor, executor, or verifier whose verdict counted) signs to appeal against the outcome of an attempt: the appeal and, if needed, the permit of its bond. Then file_appeal. `evidence` is the SHA-256 of the text's UTF-8. Refused if the mission would refuse: no party, window over, appealed already.",
    access: "open",
    isOfFiles: true,
    cost: 10,
    input: z.strictObject({ mission: address, node, attempt, appellant: address, evidence: hash }),
    output: preparedAppealOutput,
    async run(world, input) {
      const { mission } = await missionNamed(world, input.mission);
      const terms = { mission, node: input.node, attempt: input.attempt, evidence: toHash(input.evidence) };
      const { typedData, permit, bond, ...rest } = await prepareAppeal(world.client, toAddress(input.appellant), terms);
      return { typedData: stringify(typedData), permit: permit === undefined ? null : stringify(permit), bond: String(bond), ...rest };
    },
  }),
  cityCommand({
    name: "file_appeal",
    method: "POST",
    path: "/v1/appeals",
    group: "Missions",
    doc: "Files an appeal by the signatures for prepare_appeal, and keeps its text for the human who rules; the city pays the gas, the appellant the bond. Unsigned, it only keeps the text of an appeal that is on chain. Repeating it changes nothing.",
    access: "order",
    cost: 40,
    input: z.strictObject({
      ...{ mission: address, node, attempt },
      text: z.string().min(1).max(MAX_GROUNDS),
      signed: z
        .strictObject({
          appellant: address,
          deadline: count,
          signature: z
            .string()
            .regex(/^0x(?:[0-9a-f]{2}){1,2000}$/)
            .meta({ description: "Of `typedData`; a sponsor's contract wallet may sign (ERC-1271)" }),
          permit: z.strictObject({ value: units, signature: signed }).optional(),
        })
        .optional(),
    }),
    output: filedAppealOutput,
    async run(world, { mission: named, node, attempt, text, signed }, { from }) {
      const { mission } = await missionNamed(world, named);
      const { permit } = signed ?? {};
      const party = signed && {
        ...{ appellant: toAddress(signed.appellant), deadline: signed.deadline, signature: hexSchema.parse(signed.signature) },
        ...(permit === undefined ? {} : { permit: { value: BigInt(permit.value), signature: hexSchema.parse(permit.signature) } }),
      };
      const { evidence, filed } = await fileAppeal(world, { mission, node, attempt, text }, party, from);
      return { evidence, filed: filed.map(({ appellant, bond }) => ({ appellant, bond: String(bond) })) };
    },
  }),
];
