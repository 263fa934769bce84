import { type LocalAccount, zeroAddress } from "viem";
import { CATALOG, type CatalogEntry } from "../../../services/catalog.ts";
import { intentKey } from "../../chain/outbox.ts";
import type { Intent } from "../../chain/sender.ts";
import type { LogNote } from "../../client/base.ts";
import type { CityClient } from "../../client/client.ts";
import { readMany } from "../../client/read.ts";
import { signAuth } from "../../client/sign/auth.ts";
import { writeMany } from "../../client/write.ts";
import { type Bundle, bundleService } from "../../execution/sandbox/bundle.ts";
import { DEFAULT_LIMITS, LONGEST_RUN_MS, packConstraints } from "../../execution/sandbox/limits.ts";
import type { RegisteredService } from "../../execution/world.ts";
import { keccak256 } from "../../primitives/hash.ts";
import type { Hash } from "../../primitives/hex.ts";
import { canonicalBytes, isObject } from "../../primitives/json.ts";
import { serviceIdOf } from "../../rules/admissions.ts";
import type { Member } from "./society.ts";

/** A producer's service before registration. */
export interface Offer<Account extends Pick<LocalAccount, "address"> = LocalAccount> {
  readonly seller: { readonly account: Account };
  readonly entry: CatalogEntry;
  readonly bundle: Bundle;
}

/** Every producer sells the whole catalogue, in the order of producers and catalogue. Each file is bundled once. */
export async function offersOf(
  producers: readonly Pick<Member, "account">[],
  catalog: readonly CatalogEntry[] = CATALOG,
): Promise<readonly Offer[]> {
  const bundles = new Map(
    await Promise.all(catalog.map(async ({ id, file }): Promise<[string, Bundle]> => [id, await bundleService(file)])),
  );
  return producers.flatMap((seller) =>
    catalog.flatMap((entry): Offer[] => {
      const bundle = bundles.get(entry.id);
      return bundle === undefined ? [] : [{ seller, entry, bundle }];
    }),
  );
}

/** Code and schemas of a service, independent of its seller. */
export async function serviceTerms(entry: CatalogEntry): Promise<Omit<RegisteredService["record"], "owner">> {
  return termsOf(entry, await bundleService(entry.file));
}

function schemasOf({ input, output, options, perItem, drops = false }: CatalogEntry): RegisteredService["schemas"] {
  return { input, output, perItem, drops, ...(options === undefined ? {} : { options }) };
}

/** Schemas of the catalogue's service of this name, if they are those that were registered. */
export function catalogSchemas(endpoint: string, schemaHash: Hash): RegisteredService["schemas"] | undefined {
  const entry = CATALOG.find(({ id }) => `city:${id}` === endpoint);
  const schemas = entry && schemasOf(entry);
  return schemas !== undefined && schemaHashOf(schemas) === schemaHash ? schemas : undefined;
}

function schemaHashOf(schemas: RegisteredService["schemas"]): Hash {
  return keccak256(canonicalBytes(schemas));
}

function termsOf(entry: CatalogEntry, { codeHash }: Bundle): Omit<RegisteredService["record"], "owner"> {
  const schemaHash = schemaHashOf(schemasOf(entry));
  return { codeHash, schemaHash, endpoint: `city:${entry.id}`, constraints: constraintsOf(entry) };
}

/** Limits stated by the service, otherwise the default for runs, or for runs that wait for models; a seller runs it once at a time. */
function constraintsOf({ options, limits: { seconds, memory, concurrent = 1 } = {} }: CatalogEntry): Hash {
  const { memoryMb, tools, messages } = DEFAULT_LIMITS;
  const fields = options?.["properties"];
  const wallClockMs = isObject(fields) && "models" in fields ? LONGEST_RUN_MS : DEFAULT_LIMITS.wallClockMs;
  return packConstraints({
    wallClockMs: seconds === undefined ? wallClockMs : 1_000 * seconds,
    memoryMb: memory ?? memoryMb,
    ...{ concurrent, tools, messages },
  });
}

/** The record a service is registered under; its hash is the service's id (contracts/interfaces/IServiceContract.sol). */
export function registeredService({ seller, entry, bundle }: Offer<Pick<LocalAccount, "address">>): RegisteredService {
  const schemas = schemasOf(entry);
  const record = { owner: seller.account.address, ...termsOf(entry, bundle) };
  return {
    id: serviceIdOf(record),
    name: entry.id,
    owner: record.owner,
    bundle,
    schemas,
    record,
  };
}

/** Seconds of chain time that a registration's signature holds. */
const REGISTRATION_VALIDITY = 86_400;

type Registration = { readonly owner: LocalAccount; readonly record: RegisteredService["record"] };

/** Registers services on chain together, by their owners' signatures. Nothing is signed for those that are registered already. */
export async function registerServices(client: CityClient, services: readonly Registration[]): Promise<void> {
  const args = services.map(({ record }) => [serviceIdOf(record)] as const);
  const owners = await readMany(client, { contract: "ServiceContract", functionName: "ownerOf", args });
  const fresh = services.filter((_, place) => owners[place] === zeroAddress);
  await writeMany(client, await Promise.all(fresh.map((registration) => registrationOf(client, registration))));
}

async function registrationOf(client: CityClient, { owner, record }: Registration): Promise<Intent<LogNote>> {
  const { codeHash, schemaHash, endpoint, constraints } = record;
  const terms = { codeHash, schemaHash, endpoint, constraints };
  const deadline = Number(client.chain.clock.now()) + REGISTRATION_VALIDITY;
  const auth = await signAuth(client, owner, "RegisterService", { agent: owner.address, ...terms, deadline });
  return client.services.call.registerService([codeHash, schemaHash, endpoint, constraints, auth], {
    intent: intentKey("service", serviceIdOf(record)),
  });
}
