import { hashTypedData, parseSignature, stringify } from "viem";
import { z } from "zod";
import { CATALOG } from "../../../services/catalog.ts";
import { permitTypedData } from "../../city/founding/permit.ts";
import { serviceTerms } from "../../city/founding/services.ts";
import { bindingText, NEWCOMER_STAKE, newcomerBinding, newcomerDeadline } from "../../city/missions/newcomer.ts";
import { consumerOf } from "../../client/sign/sign-message.ts";
import { keccak256 } from "../../primitives/hash.ts";
import { type Address, type Hex, hexSchema, hexToBytes } from "../../primitives/hex.ts";
import { canonicalBytes } from "../../primitives/json.ts";
import { recoverAddress } from "../../primitives/recovery.ts";
import { buildSchema, callSchema, type Join, joinSchema, serviceOfferSchema } from "../../protocol/calls.ts";
import { KINDS } from "../../protocol/kinds.ts";
import { typedData } from "../../protocol/typed-data.ts";
import { type Caller, type CityWorld, type Command, cityCommand, command, type World } from "../command.ts";
import { Refused } from "../errors.ts";
import { LONGEST_WAIT, type SeatDoor } from "../seat-door.ts";
import { address, contentId, count, hash, signed, toAddress, toHash, typed, units } from "../wire.ts";

const hex = z.string().regex(/^0x(?:[0-9a-f]{2})+$/);
const call = hash.meta({ description: "Id of the question" });
const byte = z.int().min(0).max(255);
const binding = z.strictObject({
  agent: address,
  principal: address,
  kind: byte,
  did: hash,
  capabilities: units,
  stake: units,
  nonce: units,
  deadline: count,
});
const offer = z.strictObject({ codeHash: hash, schemaHash: hash, endpoint: z.string().max(4_096), constraints: hash, deadline: count });
const callOutput = z.strictObject({
  id: hash,
  to: address,
  kind: z.enum(callSchema.shape.kind.options),
  payload: z.json(),
  answerBy: z.number().meta({ description: "Milliseconds since 1970, by the city's clock" }),
});

function doorOf({ seats }: CityWorld): SeatDoor {
  if (seats === undefined)
    throw new Refused("SeatsClosed", "This city does not ask external agents at the moment", { action: "ask its operator" });
  return seats;
}

function keyOf({ key }: Caller): Address {
  if (key === undefined) throw new Refused("SignatureMissing", "This requires a signing key");
  return key;
}

/** Throws BadSignature naming the signer, which the contract's error would not. */
async function requireSigner(world: World, name: "PrincipalBinding" | "RegisterService", message: object, by: Address, signature: Hex) {
  const { client } = world;
  const digest = hashTypedData({ ...typedData(name, client.chain.id, consumerOf(client, name)), message } as never);
  const signer = await recoverAddress({ hash: digest, signature }).catch(() => undefined);
  if (signer === by) return;
  // Contract wallets are verified by their own contract.
  const isGood = await client.chain.publicClient.verifyHash({ address: by, hash: digest, signature }).catch(() => false);
  if (!isGood)
    throw new Refused("BadSignature", `The signature of ${name} was not made by ${by}`, { action: "sign the typed data unchanged" });
}

async function requireBound(world: World, { binding: terms, byAgent, byPrincipal }: Join): Promise<void> {
  await requireSigner(world, "PrincipalBinding", terms, terms.agent, byAgent);
  await requireSigner(world, "PrincipalBinding", terms, terms.principal, byPrincipal);
}

async function termsOf(service: string) {
  const entry = CATALOG.find(({ id }) => id === service);
  if (entry === undefined)
    throw new Refused("NotFound", `The catalogue has no service ${service}`, { details: CATALOG.map(({ id }) => id).join(", ") });
  return serviceTerms(entry);
}

export const seatCommands: readonly Command[] = [
  cityCommand({
    name: "faucet",
    method: "POST",
    path: "/v1/faucet",
    group: "Seats",
    doc: "Test tokens and gas money for a principal or a sponsor, once, on a devnet.",
    access: "signed",
    cost: 20,
    input: z.strictObject({ principal: address }),
    output: z.strictObject({ principal: address, balance: units }),
    async run(world, input) {
      const principal = toAddress(input.principal);
      await doorOf(world).desk.faucet(principal);
      return { principal, balance: String(await world.client.token.balanceOf(principal)) };
    },
  }),
  command({
    name: "prepare_registration",
    method: "GET",
    path: "/v1/seats/registration",
    group: "Seats",
    doc: "What an agent and its principal sign to join: the binding (both) and the stake's permit (the principal). Then register_agent.",
    access: "open",
    cost: 5,
    input: z.strictObject({ agent: address, principal: address }),
    output: z.strictObject({ binding, did: z.string(), typedData: typed, permit: typed, permitDeadline: count }),
    async run(world, input) {
      const { client } = world;
      const [agent, principal] = [toAddress(input.agent), toAddress(input.principal)];
      const deadline = await newcomerDeadline(client);
      const { did, binding: message } = await newcomerBinding(client, { agent, principal, kind: KINDS.PRODUCER }, deadline);
      const name = "PrincipalBinding";
      const permit = await permitTypedData(client, principal, client.agents.address, NEWCOMER_STAKE, deadline);
      return {
        binding: bindingText(message),
        did,
        typedData: stringify({ ...typedData(name, client.chain.id, consumerOf(client, name)), message }),
        permit: stringify(permit),
        permitDeadline: deadline,
      };
    },
  }),
  cityCommand({
    name: "register_agent",
    method: "POST",
    path: "/v1/seats/registration",
    group: "Seats",
    doc: "Registers an agent by the signatures for prepare_registration; the city pays the gas. The result is read back from the chain.",
    access: "order",
    cost: 40,
    input: z.strictObject({
      binding,
      did: z.string().max(4_096),
      byPrincipal: signed,
      byAgent: signed,
      permit: signed,
      permitDeadline: count,
    }),
    output: z.strictObject({ agent: address, principal: address }),
    async run(world, { binding: given, did, byPrincipal, byAgent, permit, permitDeadline }, caller) {
      const { r, s, yParity } = parseSignature(hexSchema.parse(permit));
      const allowance = { value: given.stake, deadline: String(permitDeadline), v: 27 + yParity, r, s };
      const request = joinSchema.parse({ binding: given, did, byPrincipal, byAgent, permit: allowance });
      await requireBound(world, request);
      await doorOf(world).desk.join(request, caller.from);
      const { agent } = request.binding;
      const principal = await world.client.agents.principalOf(agent);
      if (principal !== request.binding.principal) throw new Refused("NotAllowed", `Another principal answers for ${agent}: ${principal}`);
      return { agent, principal };
    },
  }),
  command({
    name: "prepare_service",
    method: "GET",
    path: "/v1/seats/service",
    group: "Seats",
    doc: "What an agent signs to sell a service of the city's catalogue, by its name. Then register_service.",
    access: "open",
    cost: 10,
    input: z.strictObject({ agent: address, service: z.string().min(1).max(80) }),
    output: z.strictObject({ offer, typedData: typed }),
    async run(world, { agent: owner, service }) {
      const { client } = world;
      const agent = toAddress(owner);
      const terms = { ...(await termsOf(service)), deadline: await newcomerDeadline(client) };
      const name = "RegisterService";
      return {
        offer: terms,
        typedData: stringify({ ...typedData(name, client.chain.id, consumerOf(client, name)), message: { agent, ...terms } }),
      };
    },
  }),
  cityCommand({
    name: "register_service",
    method: "POST",
    path: "/v1/seats/service",
    group: "Seats",
    doc: "Registers a service by its seller's signature; the city pays the gas.",
    access: "order",
    cost: 40,
    input: z.strictObject({ owner: address, offer, signature: signed }),
    output: z.strictObject({ service: hash, isLive: z.boolean() }),
    async run(world, { owner, offer: given, signature }, caller) {
      const seller = toAddress(owner);
      const signedOffer = serviceOfferSchema.parse({ ...given, signature });
      await requireSigner(world, "RegisterService", { agent: seller, ...given }, seller, signedOffer.signature);
      await doorOf(world).desk.offer(seller, signedOffer, caller.from);
      const { deadline: _, signature: __, ...terms } = signedOffer;
      const service = await world.client.services.idOf({ owner: seller, ...terms });
      return { service, isLive: await world.client.services.isLive(service) };
    },
  }),
  cityCommand({
    name: "list_calls",
    method: "GET",
    path: "/v1/calls",
    group: "Seats",
    doc: "Open calls for this key: bid, perform, pledge, open, sign, seal, and in sessions draft, speak, rank; waits up to `wait` seconds for the first. A key's second request ends its first.",
    access: "bearer",
    waits: true,
    cost: 2,
    input: z.strictObject({
      wait: z.int().min(0).max(LONGEST_WAIT).optional().meta({ description: "Seconds" }),
      build: buildSchema.meta({ description: "The program that asks, published as stated: `agentcity/0.1.0 node/24.21.0`" }),
    }),
    output: z.strictObject({ calls: z.array(callOutput) }),
    async run(world, { wait = 0, build }, caller) {
      return { calls: [...(await doorOf(world).callsTo(keyOf(caller), wait, build))] };
    },
  }),
  cityCommand({
    name: "prepare_answer",
    method: "GET",
    path: "/v1/calls/{call}",
    group: "Seats",
    doc: "Data for answering an open question without our library: a node's input, the values hashed by a commitment, typed data, bytes. Signing what is returned here means trusting this city.",
    access: "bearer",
    cost: 5,
    input: z.strictObject({ call }),
    output: z.strictObject({ call: callOutput, help: z.record(z.string(), z.json()) }),
    async run(world, input, caller) {
      const { call: asked, help } = doorOf(world).desk.mailbox.helpWith(keyOf(caller), toHash(input.call));
      return { call: asked, help: z.record(z.string(), z.json()).parse(help) };
    },
  }),
  cityCommand({
    name: "deliver",
    method: "POST",
    path: "/v1/outputs",
    group: "Seats",
    doc: "Hands in the result of an open `perform`: the output or, if its `help` names an obligation, the sealed work as hex. Its id goes into the answer. Larger ones: PUT /v1/blocks/{cid}?call=…",
    access: "signed",
    cost: 10,
    input: z.strictObject({
      call,
      output: z.record(z.string(), z.json()).optional(),
      sealed: hex.optional().meta({ description: "Instead of the output" }),
    }),
    output: z.strictObject({ output: contentId, outputHash: hash.meta({ description: "Keccak-256 of what was handed in" }) }),
    async run(world, { call: id, output, sealed }, caller) {
      if ((output === undefined) === (sealed === undefined))
        throw new Refused("BadRequest", "Either an output is handed in, or sealed work");
      const bytes = sealed === undefined ? canonicalBytes(output) : hexToBytes(hexSchema.parse(sealed));
      return { output: await doorOf(world).bring(keyOf(caller), toHash(id), bytes), outputHash: keccak256(bytes) };
    },
  }),
  cityCommand({
    name: "answer_call",
    method: "POST",
    path: "/v1/answers",
    group: "Seats",
    doc: "Answers a question. The first valid answer is final, and the city signs a receipt; an invalid one is refused with the reason, and the question stays open.",
    access: "signed",
    keeps: true,
    cost: 5,
    input: z.strictObject({ call, answer: z.json() }),
    output: z.strictObject({ call: hash, answer: hash, at: z.int(), signature: z.string() }),
    run: (world, { call: id, answer }, caller) => doorOf(world).desk.mailbox.answer(keyOf(caller), toHash(id), answer, caller.shown),
  }),
  cityCommand({
    name: "decline_call",
    method: "POST",
    path: "/v1/declines",
    group: "Seats",
    doc: "Declines a question, so that the city stops waiting for it.",
    access: "signed",
    cost: 2,
    input: z.strictObject({ call, why: z.string().max(4_096) }),
    output: z.strictObject({ declined: z.literal(true) }),
    async run(world, { call: id, why }, caller) {
      await doorOf(world).desk.mailbox.decline(keyOf(caller), toHash(id), why);
      return { declined: true as const };
    },
  }),
];
