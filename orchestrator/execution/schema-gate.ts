import { TransactionReverted } from "../chain/errors.ts";
import { intentKey } from "../chain/outbox.ts";
import type { Judgement, Submission } from "../clearing/judgement.ts";
import type { CityClient } from "../client/client.ts";
import { admittedBy } from "../client/compile-law.ts";
import { gateProblem } from "../client/gates.ts";
import { signMessage } from "../client/sign/sign-message.ts";
import type { Hash } from "../primitives/hex.ts";
import { randomStream } from "../primitives/random.ts";
import { NAMED_GATES } from "../protocol/gates.ts";
import { EvidenceClass, geq } from "../rules/admissibility.ts";
import { admissionOf } from "../rules/admissions.ts";
import { boundService, type NodeView } from "./chain-view.ts";
import type { Issuer } from "./seat.ts";
import { learnService } from "./strangers.ts";
import { outputHashOf } from "./work.ts";
import type { Mission, World } from "./world.ts";

const GATE = "keeps-schema";
/** How long a statement may wait for its transaction, seconds of chain time. */
const VALIDITY = 3600n;

/** A node that is about to be cleared. */
export interface Measured {
  readonly view: NodeView;
  readonly obligation: Hash;
  readonly works: readonly Submission[];
  readonly judgements: Iterable<readonly Judgement[]>;
}

/**
 * Where the law's gate is `keeps-schema`, has an issuer of evidence look at the outputs that the gate may be asked about, and hands its
 * statements in (decision 76). An output that breaks its schema gets none: the gate holds it back, and a human decides.
 */
export async function showSchemas(world: World, mission: Mission, nodes: readonly Measured[]): Promise<void> {
  const asked = nodes.filter(({ view }) => isAsked(mission, view));
  if (asked.length === 0 || (await gateProblem(world.client, GATE)) !== undefined) return;
  for (const node of asked) for (const work of inQuestion(node)) await show(world, mission, node, work);
}

/** Whether the gate is the node's, or that of the mission's whole output, which its last node hands in. */
function isAsked({ document }: Mission, { law }: NodeView): boolean {
  const { number } = NAMED_GATES[GATE];
  return law.predicate === number || (document.outputPredicate === number && law.number === document.nodes.length - 1);
}

/** The gate is asked about the first slot in agreement; where no panel agrees, a human may choose any. */
function inQuestion({ works, judgements }: Measured): readonly Submission[] {
  const sides = [...judgements].flat().flatMap(({ agreeing }) => works.find(({ slot }) => ((agreeing >> slot) & 1) === 1) ?? []);
  const found = sides.length === 0 ? works : sides;
  return [...new Map(found.map((work) => [work.outputHash, work])).values()];
}

async function show(world: World, mission: Mission, { view, obligation }: Measured, work: Submission): Promise<void> {
  const { client } = world;
  const { law } = view;
  const { output, outputHash } = work;
  const slot = view.slots.find((each) => each.slot === work.slot);
  if (slot === undefined || output === undefined || outputHashOf(output) !== outputHash) return;
  const gate = client.schemaGate(await client.execution.predicateOf(NAMED_GATES[GATE].number));
  if (await gate.isShown(obligation, outputHash)) return;
  const service = await learnService(world, await boundService(world, mission, view, slot));
  const admission = service && admissionOf(admittedBy(mission.document), service.record, law.number);
  const issuer = await issuerFor(world, mission, view, obligation);
  if (service === undefined || admission === undefined || issuer === undefined)
    return void world.progress(`${law.label}: no issuer here can say whether its output keeps the law's schema`);
  if (!issuer.measure({ schema: service.schemas.output, output }))
    return void world.progress(`${law.label}: its output breaks the law's schema, and its gate will hold it back`);
  const statement = {
    ...{ mission: mission.address, node: law.number, obligation, outputHash },
    ...{ schemaHash: admission.schemaHash, issuer: issuer.account.address },
    deadline: Number(client.chain.clock.now() + VALIDITY),
  };
  const signature = await signMessage(client, issuer.account, "SchemaStatement", statement, gate.address);
  try {
    await gate.show([statement, admission, signature], { intent: intentKey("schema", obligation, outputHash) });
  } catch (error) {
    // Whoever sees a statement on its way may hand it in first.
    if (!(error instanceof TransactionReverted)) throw error;
    world.progress(`${law.label}: the statement about its schema was refused (${error.errorName ?? error.shortMessage})`);
  }
}

type Measuring = Issuer & { readonly measure: NonNullable<Issuer["measure"]> };

/** One of the issuers here that the gate accepts, drawn for this work: at the law's floor, and of nobody's house who has a part in it. */
async function issuerFor(world: World, mission: Mission, { law }: NodeView, obligation: Hash): Promise<Measuring | undefined> {
  const able = world.issuers.filter(
    (each): each is Measuring =>
      each.measure !== undefined && each.issues.some((name) => geq(EvidenceClass[name], EvidenceClass[law.floor])),
  );
  for (const issuer of randomStream(obligation, "schema").shuffle(able)) {
    if (!(await hasPart(world.client, mission, issuer))) return issuer;
  }
  return undefined;
}

async function hasPart({ execution }: CityClient, { address }: Mission, { principal, account }: Issuer): Promise<boolean> {
  const parts = await Promise.all([principal, account.address].map((each) => execution.participationOf(address, each)));
  return parts.some(({ sponsor, executor, verifier }) => sponsor || executor || verifier);
}
