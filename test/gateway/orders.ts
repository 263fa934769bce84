import type { LocalAccount } from "viem";
import { z } from "zod";
import { draftOutput } from "../../orchestrator/gateway/commands/panel.ts";

const relayedSchema = z.object({ status: z.enum(["executed", "waiting"]), digest: z.string(), needed: z.number() });

/** Sends a body as JSON. */
export async function post(url: string, body: unknown) {
  const answer = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  return { status: answer.status, body: await answer.text() };
}

/** The order that the gateway drafts for what is asked. */
export async function drafted(url: string, asked: object): Promise<z.infer<typeof draftOutput>> {
  return draftOutput.parse(JSON.parse((await post(`${url}/v1/orders/draft`, asked)).body));
}

/** Signs a draft's typed data, as a wallet does, and hands it in. */
export async function signedAndSent(url: string, draft: z.infer<typeof draftOutput>, account: LocalAccount) {
  const { types, ...data } = JSON.parse(draft.typedData);
  const { EIP712Domain: _, ...own } = types;
  const signature = await account.signTypedData({ ...data, types: own });
  const sent = await post(`${url}/v1/orders`, {
    message: draft.message,
    signatures: [...draft.signatures, { adjudicator: account.address, signature }],
  });
  return { ...sent, relayed: relayedSchema.safeParse(JSON.parse(sent.body)).data };
}
