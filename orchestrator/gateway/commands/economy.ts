import { z } from "zod";
import { campaignDetail, campaignOutput, campaignsIn } from "../campaigns.ts";
import { type Command, command, type FrontWorld } from "../command.ts";
import { Refused } from "../errors.ts";
import { hash } from "../wire.ts";

const name = z.string().max(80).meta({ description: "As listed by list_campaigns" });

function campaignNamed({ campaigns }: FrontWorld, wanted: string) {
  const found = (campaigns === undefined ? [] : campaignsIn(campaigns)).find(({ summary }) => summary.name === wanted);
  if (found === undefined) throw new Refused("NotFound", `There is no campaign ${wanted} here`, { action: "list_campaigns lists them" });
  return found;
}

export const economyCommands: readonly Command[] = [
  command({
    name: "list_campaigns",
    method: "GET",
    path: "/v1/campaigns",
    group: "Economy",
    doc: "Campaigns of the commons production economy: those included with the software and those run here, with the number of hypotheses by verdict.",
    access: "open",
    isOfFiles: true,
    cost: 5,
    input: z.strictObject({}),
    output: z.strictObject({ campaigns: z.array(campaignOutput) }),
    async run({ campaigns }) {
      return { campaigns: (campaigns === undefined ? [] : campaignsIn(campaigns)).map(({ summary }) => summary) };
    },
  }),
  command({
    name: "get_campaign",
    method: "GET",
    path: "/v1/campaigns/{campaign}",
    group: "Economy",
    doc: "One campaign: each hypothesis with its verdict and reason, each figure with its 95 % interval.",
    access: "open",
    isOfFiles: true,
    cost: 5,
    input: z.strictObject({ campaign: name }),
    output: campaignDetail,
    run: async (world, { campaign }) => campaignNamed(world, campaign).detail,
  }),
  command({
    name: "get_campaign_data",
    method: "GET",
    path: "/v1/campaigns/{campaign}/data",
    group: "Economy",
    doc: "The campaign's file, byte for byte, and its hash.",
    access: "open",
    isOfFiles: true,
    cost: 5,
    input: z.strictObject({ campaign: name }),
    output: z.strictObject({ hash, text: z.string() }),
    async run(world, { campaign }) {
      const { summary, text } = campaignNamed(world, campaign);
      return { hash: summary.hash, text };
    },
  }),
];
