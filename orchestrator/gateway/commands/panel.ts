import { z } from "zod";
import { DECISIONS } from "../../city/humans/case-decisions.ts";
import { caseNamed, inOneLine, type NamedCase, queueOf } from "../../city/humans/case-queue.ts";
import { chainTime } from "../../city/humans/order-caps.ts";
import { describeOrder, effectOf } from "../../city/humans/order-words.ts";
import { wasExecuted } from "../../client/executed.ts";
import { orderHashes, walletJson } from "../../client/sign/wallet-json.ts";
import { parseContentId } from "../../primitives/hash.ts";
import type { Address, ContentId } from "../../primitives/hex.ts";
import { ACTION_DATA, type ActionName, actionName } from "../../protocol/actions.ts";
import { signedOverrideJson, signedOverrideSchema } from "../../protocol/signed-override.ts";
import type { WaitingCase } from "../../protocol/waiting-case.ts";
import { REPORTING } from "../ask-node.ts";
import { type Caller, type Command, cityCommand, command, type World } from "../command.ts";
import { SIMULATED_BY } from "../consequences.ts";
import { Refused } from "../errors.ts";
import { type Asked, consequences, draftOrder, isStop, type Order, ordersWaiting, relayOrder, whoMaySign } from "../orders.ts";
import { judges } from "../reading.ts";
import { address, contentId, count, hash, seconds, toAddress, units } from "../wire.ts";

const actionNames = Object.keys(ACTION_DATA) as [ActionName, ...ActionName[]];
const hex = z.string().regex(/^0x([0-9a-fA-F]{2})*$/);
const text = z.string().min(1).max(4_000);

export const caseOutput = z.strictObject({
  name: z.string(),
  kind: z.enum(["review", "appeal", "bloc", "suspension", "petition"]),
  /** One line, as shown by `npm run override -- queue`. */
  line: z.string(),
  mission: address.nullable(),
  session: z.string().nullable(),
  node: count.nullable(),
  label: z.string().nullable(),
  reason: z.string().nullable(),
  /** Chain time until which it can be decided. */
  deadline: seconds.nullable(),
  escalated: z.boolean(),
  /** Whose turn it is: the next seat by rotation without an interest in the mission. Any seat that may sign may act. */
  onTurn: address.nullable(),
  /** Whether it is up to date: an order on a stale case is refused. */
  isCurrent: z.boolean(),
  decisions: z.array(z.enum(DECISIONS)),
});

/** Seats take turns by node; an escalated case goes to the next (`adjudication/rule.ts`). */
async function onTurn({ client }: World, { subject }: NamedCase): Promise<Address | null> {
  if (subject.kind === "bloc" || subject.kind === "suspension" || subject.kind === "petition") return null;
  const { mission, node } = subject;
  const seats = await client.roster.seats();
  const turn = (subject.kind === "review" && subject.escalated ? node + 1 : node) % Math.max(1, seats.length);
  for (const seat of [...seats.slice(turn), ...seats.slice(0, turn)])
    if ((await client.roster.isActive(seat)) && !(await client.roster.isConflicted(seat, mission))) return seat;
  return null;
}

async function summaryOf(world: World, found: NamedCase): Promise<z.input<typeof caseOutput>> {
  const { name, subject, current } = found;
  const { kind } = subject;
  return {
    ...{ name, kind, isCurrent: current },
    line: inOneLine(found).replace(/\s+/g, " "),
    mission: kind === "bloc" || kind === "petition" ? null : subject.mission,
    session: kind === "bloc" ? subject.session : null,
    node: kind === "review" || kind === "appeal" ? subject.node : null,
    label: kind === "review" || kind === "appeal" ? subject.label : null,
    reason: kind === "review" ? subject.reason : null,
    deadline: kind === "review" ? subject.deadline : null,
    escalated: kind === "review" && subject.escalated,
    onTurn: await onTurn(world, found),
    decisions: kind === "appeal" ? [] : kind === "suspension" || kind === "petition" ? ["approve"] : [...DECISIONS],
  };
}

/** The calling adjudicator. Throws Refused: the work of a running mission is for seated adjudicators only. */
export async function adjudicatorOf({ client }: World, { key }: Caller): Promise<Address> {
  if (key !== undefined && (await client.roster.isActive(key))) return key;
  throw new Refused("NotAllowed", "This is for seated adjudicators only", { action: "sign in with the key of a seat" });
}

/** With `visibility: parties`, work is readable by adjudicators who may sign in an open case of the mission. Throws NotAllowed. */
async function requireReader(
  world: World,
  adjudicator: Address,
  subject: { readonly mission: Address; readonly node: number },
): Promise<void> {
  if ((await world.laws.visibilityOf(subject.mission)) === "public" || (await judges(world, adjudicator, subject))) return;
  throw new Refused(
    "NotAllowed",
    "This mission's work is readable by its parties, and by adjudicators without an interest in it while a case is waiting",
    {
      action: "another seat may review it; a decided case's verdict is in the log",
    },
  );
}

/** Maximum number of evidence pieces per case, and bytes of each. */
const MAX_PIECES = 64;
const LARGEST_PIECE = 262_144;

/**
 * Records about a node on which the newest attempt rests, and what they reference: each by its content id, with its bytes if stored here.
 */
async function evidenceOf(world: World, found: NamedCase) {
  const { subject } = found;
  if (subject.kind !== "review" && subject.kind !== "appeal") return [];
  const row = world.hub.missionAt(subject.mission);
  if (row === undefined) return [];
  const ids = new Map<ContentId, string>();
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await world.hub.query({ missionId: row.id, nodeId: subject.node, limit: 200, cursor });
    for (const event of page.events)
      if (event.record !== null && event.name.startsWith("execution.")) ids.set(event.payloadCid, event.name);
    cursor = page.next;
  }
  const recorded = [...ids];
  for (const [id, name] of recorded) {
    if (!world.blocks.has(id)) continue;
    const bytes = new TextDecoder().decode(world.blocks.get(id));
    for (const [, named = ""] of bytes.matchAll(/"(bafkrei[a-z2-7]{52})"/g)) {
      const other = idOrNone(named);
      if (other !== undefined && !ids.has(other)) ids.set(other, `named by ${name}`);
    }
  }
  return [...ids].slice(0, MAX_PIECES).map(([cid, name]) => {
    const bytes = world.blocks.has(cid) ? world.blocks.get(cid) : undefined;
    const isTold = bytes !== undefined && bytes.length <= LARGEST_PIECE;
    return {
      cid,
      name,
      size: bytes?.length ?? 0,
      isHere: bytes !== undefined,
      base64: isTold ? Buffer.from(bytes).toString("base64") : null,
    };
  });
}

/** Subject of a ruling: the appeals as filed, and the executors of the appealed attempt. */
async function ruledOn({ client }: World, { mission, node, attempt, appeals }: Extract<WaitingCase, { kind: "appeal" }>) {
  const bound = await client.mission(mission).history("ExecutorBound", { node });
  const slots = new Map(bound.filter(({ args }) => args.attempt === attempt).map(({ args }) => [args.slot, args.agent]));
  return {
    attempt,
    appeals: appeals.map((each) => ({ ...each })),
    slots: [...slots].map(([slot, agent]) => ({ slot, agent })).sort((a, b) => a.slot - b.slot),
  };
}

/** Text from outside may look like an id without being one. */
function idOrNone(text: string): ContentId | undefined {
  try {
    return parseContentId(text);
  } catch {
    return undefined;
  }
}

const askedInput = {
  case: z.string().max(80).optional().meta({ description: "A case of the queue, with decision" }),
  decision: z.enum(DECISIONS).optional(),
  action: z.enum(actionNames).optional().meta({ description: "Or an action of the table, with what it is about" }),
  mission: address.optional(),
  node: count.max(255).optional(),
  target: address.optional(),
  values: z.array(z.json()).max(8).optional().meta({ description: "The action's data in order; whole numbers as decimal text" }),
};
const askedSchema = z.strictObject(askedInput);

function askedOf({ mission, target, ...rest }: z.infer<typeof askedSchema>): Asked {
  return {
    ...rest,
    ...(mission === undefined ? {} : { mission: toAddress(mission) }),
    ...(target === undefined ? {} : { target: toAddress(target) }),
  };
}

export const messageSchema = z.strictObject({
  action: count,
  mission: address,
  node: count,
  target: address,
  data: hex,
  because: text,
  caseHash: hash,
  /** Decimal text. */
  salt: z.string(),
  deadline: count,
});

const signedSchema = z.strictObject({ adjudicator: address, signature: hex });

export const draftOutput = z.strictObject({
  action: z.string(),
  message: messageSchema,
  /** JSON for the wallet (eth_signTypedData_v4), as printed by `npm run override -- … --dry-run`. */
  typedData: z.string(),
  hashes: z.strictObject({ domain: hash, message: hash, digest: hash }),
  because: z.string(),
  /** One sentence on what would change. */
  effect: z.string(),
  words: z.string(),
  /** Acts that stop something may be signed without evidence. */
  isStop: z.boolean(),
  needed: count,
  signatures: z.array(signedSchema),
  isExecuted: z.boolean(),
  /** Why the chain would refuse it whoever signs, as the contract's error. StaleCase: the state has changed since. */
  refusal: z.string().nullable(),
  seats: z.array(
    z.strictObject({
      adjudicator: address,
      principal: address,
      may: z.boolean(),
      /** The contract's own refusal. */
      because: z.string().nullable(),
      error: z.string().nullable(),
    }),
  ),
  asOf: seconds,
});

export const simulationOutput = z.strictObject({
  /** Method by which the node answered: `debug_traceCall` reports storage and events, `eth_simulateV1` events, `eth_call` neither. */
  method: z.enum(SIMULATED_BY),
  /** Why more detailed methods gave no answer, in the node's own words. */
  unreported: z.array(z.strictObject({ method: z.enum(REPORTING), reason: z.string() })),
  succeeds: z.boolean(),
  refusal: z.string().nullable(),
  error: z.string().nullable(),
  /** Named values, read before and after. */
  changes: z.array(z.strictObject({ what: z.string(), from: z.string(), to: z.string() })),
  /** Every storage word that would change, by the contracts' layouts. */
  storage: z.array(z.strictObject({ contract: z.string(), address, what: z.string(), from: z.string(), to: z.string() })).nullable(),
  /** Token transfers, from events. */
  transfers: z.array(z.strictObject({ from: address, to: address, units })).nullable(),
});

/** Everything shown to an adjudicator before signing. */
async function describe(
  world: World,
  message: Order,
  signatures: readonly z.infer<typeof signedSchema>[],
): Promise<z.input<typeof draftOutput>> {
  const { client } = world;
  const name = actionName(message.action);
  if (name === undefined) throw new Refused("BadRequest", `action ${message.action} is not one of this city's`);
  const hashes = orderHashes(client, message);
  const order = signedOverrideSchema.parse({
    chainId: client.chain.id,
    adjudication: client.addresses.AdjudicationProcedure,
    message: { ...message, salt: message.salt.toString() },
    signatures,
  });
  const { seats, refusal } = await whoMaySign(world, message);
  return {
    action: name,
    message: signedOverrideJson(order).message,
    typedData: walletJson(client, message),
    hashes,
    because: message.because,
    effect: await effectOf(world, name, message),
    words: await describeOrder(world, order),
    isStop: isStop(message),
    needed: Number(await client.adjudication.signaturesFor(message)),
    signatures: [...signatures],
    isExecuted: await wasExecuted(client, message),
    refusal,
    seats,
    asOf: Number(await chainTime(world)),
  };
}

function orderIn(message: z.infer<typeof messageSchema>): Order {
  return signedOverrideSchema.shape.message.parse({ ...message, mission: toAddress(message.mission), target: toAddress(message.target) });
}

const orderNamed = (world: World, digest: string) => {
  const found = ordersWaiting(world).find((each) => each.digest === digest);
  if (found === undefined)
    throw new Refused("NotFound", "No order with this digest is waiting", { action: "list_orders lists those that are" });
  return found.order;
};

export const panelCommands: readonly Command[] = [
  command({
    name: "list_cases",
    method: "GET",
    path: "/v1/cases",
    group: "Panel",
    doc: "Cases waiting for adjudicators, with deadlines. The work itself is in get_case, for adjudicators.",
    access: "open",
    isOfFiles: true,
    cost: 5,
    input: z.strictObject({}),
    output: z.strictObject({ cases: z.array(caseOutput), asOf: seconds }),
    async run(world) {
      return {
        cases: await Promise.all((await queueOf(world)).map((found) => summaryOf(world, found))),
        asOf: Number(await chainTime(world)),
      };
    },
  }),
  command({
    name: "get_case",
    method: "GET",
    path: "/v1/cases/{case}",
    group: "Panel",
    doc: "One complete case: what is judged, and every piece of evidence with its bytes, for seated adjudicators.",
    access: "bearer",
    cost: 20,
    input: z.strictObject({ case: z.string().max(80) }),
    output: z.strictObject({
      ...caseOutput.shape,
      excerpt: z.string().nullable(),
      rubric: z.string().nullable(),
      quality: z.number().nullable(),
      risk: z.number().nullable(),
      facts: z.array(z.string()),
      /** For appeals: what one ruling decides; RESOLVE_APPEAL names appeals by position and executors by slot. */
      ruling: z
        .strictObject({
          /** From 0. */
          attempt: count,
          appeals: z.array(z.strictObject({ appellant: z.string(), bond: units, evidence: z.string().nullable() })),
          slots: z.array(z.strictObject({ slot: count, agent: address })),
        })
        .nullable(),
      pieces: z.array(
        z.strictObject({ cid: contentId, name: z.string(), size: count, isHere: z.boolean(), base64: z.string().nullable() }),
      ),
    }),
    async run(world, input, caller) {
      const adjudicator = await adjudicatorOf(world, caller);
      const found = await caseNamed(world, input.case).catch(() => {
        throw new Refused("NotFound", `No case ${input.case} is waiting`, { action: "list_cases lists those that are" });
      });
      const { subject } = found;
      const isWork = subject.kind === "review" || subject.kind === "appeal";
      if (isWork) await requireReader(world, adjudicator, subject);
      return {
        ...(await summaryOf(world, found)),
        excerpt: isWork ? subject.excerpt : null,
        rubric: subject.kind === "review" ? (subject.rubric ?? null) : null,
        quality: isWork ? subject.quality : null,
        risk: isWork ? subject.risk : null,
        facts:
          subject.kind === "suspension"
            ? [...subject.facts, ...subject.divergences.map((each) => `DIVERGENCE: ${each}`)]
            : subject.kind === "bloc"
              ? subject.blocs.map((members) => `voted alike: ${members.join(", ")}`)
              : subject.kind === "appeal"
                ? subject.appeals.map(({ appellant, evidence }) => `${appellant}: ${evidence ?? "its text is not in this city's records"}`)
                : [],
        ruling: subject.kind === "appeal" ? await ruledOn(world, subject) : null,
        pieces: await evidenceOf(world, found),
      };
    },
  }),
  command({
    name: "draft_order",
    method: "POST",
    path: "/v1/orders/draft",
    group: "Panel",
    doc: "The order of a decision on a case, or of an action, on the current state: the typed data to sign, the same as the command line's, its effect, the signatures required, and the seats that may sign. Changes nothing.",
    access: "order",
    cost: 20,
    input: z.strictObject({ ...askedInput, because: text }),
    output: draftOutput,
    async run(world, { because, ...asked }) {
      return describe(world, await draftOrder(world, askedOf(asked), because), []);
    },
  }),
  command({
    name: "list_orders",
    method: "GET",
    path: "/v1/orders",
    group: "Panel",
    doc: "Signed orders that need further signatures.",
    access: "open",
    isOfFiles: true,
    cost: 3,
    input: z.strictObject({}),
    output: z.strictObject({
      orders: z.array(
        z.strictObject({
          digest: hash,
          action: z.string(),
          because: z.string(),
          signedBy: z.array(address),
          needed: count,
          deadline: seconds,
        }),
      ),
    }),
    async run(world) {
      const orders = await Promise.all(
        ordersWaiting(world).map(async ({ digest, order: { message, signatures } }) => ({
          ...{ digest, because: message.because, deadline: message.deadline },
          action: actionName(message.action) ?? String(message.action),
          signedBy: signatures.map(({ adjudicator }) => adjudicator),
          needed: Number(await world.client.adjudication.signaturesFor(message)),
        })),
      );
      return { orders };
    },
  }),
  command({
    name: "get_order",
    method: "GET",
    path: "/v1/orders/{digest}",
    group: "Panel",
    doc: "One order that needs further signatures, in the form of draft_order.",
    access: "open",
    isOfFiles: true,
    cost: 20,
    input: z.strictObject({ digest: hash }),
    output: draftOutput,
    async run(world, { digest }) {
      const { message, signatures } = orderNamed(world, digest);
      return describe(world, message, signatures);
    },
  }),
  cityCommand({
    name: "simulate_order",
    method: "POST",
    path: "/v1/orders/simulate",
    group: "Panel",
    doc: "Simulates an order with these signers on chain: whether it would succeed, and what it would change. For seated adjudicators.",
    access: "bearer",
    cost: 40,
    input: z.strictObject({ message: messageSchema, signers: z.array(address).min(1).max(16) }),
    output: simulationOutput,
    async run(world, { message, signers }, caller) {
      await adjudicatorOf(world, caller);
      const found = await consequences(world, orderIn(message), signers.map(toAddress));
      const { changes, unreported, storage, transfers, ...rest } = found;
      return {
        ...rest,
        changes: [...changes],
        unreported: [...unreported],
        storage: storage && [...storage],
        transfers: transfers && [...transfers],
      };
    },
  }),
  cityCommand({
    name: "relay_order",
    method: "POST",
    path: "/v1/orders",
    group: "Panel",
    doc: "Submits adjudicators' signatures of an order. With enough of them it goes on chain at once, at this city's cost; until then it waits for more. The signatures alone authorise it.",
    access: "order",
    cost: 40,
    input: z.strictObject({ message: messageSchema, signatures: z.array(signedSchema).min(1).max(16) }),
    output: z.strictObject({
      status: z.enum(["executed", "waiting"]),
      digest: hash,
      transaction: hash.nullable(),
      signatures: count,
      needed: count,
    }),
    async run(world, { message, signatures }) {
      return relayOrder(world, {
        message: orderIn(message),
        signatures: signatures.map(({ adjudicator, signature }) => ({
          adjudicator: toAddress(adjudicator),
          signature: signature as `0x${string}`,
        })),
      });
    },
  }),
];
