import { type Identity, type Registry, registryOf } from "../../orchestrator/clearing/registry.ts";
import { type SchemeName, type Signer, signer } from "../../orchestrator/clearing/signature.ts";
import { randomStream, type Seed } from "../../orchestrator/primitives/random.ts";

/** A person or machine in a scenario; the scheme is Ed25519 by default. */
export interface Part extends Partial<Pick<Identity, "issues" | "role" | "from" | "until">> {
  readonly principal: string;
  readonly scheme?: SchemeName;
}

export interface Cast<Name extends string> {
  readonly signers: Readonly<Record<Name, Signer>>;
  readonly registry: Registry;
}

/** Secrets of members with existing keys, such as accounts of a chain; these are secp256k1. */
export type Secrets<Name extends string> = Readonly<Partial<Record<Name, Uint8Array>>>;

/** Derives keys from the seed for members without one, and a registry of all. */
export function castOf<Name extends string>(seed: Seed, parts: Readonly<Record<Name, Part>>, secrets?: Secrets<Name>): Cast<Name> {
  const entries = entriesOf(parts).map(([id, { scheme = "ed25519", ...identity }]) => {
    const own = secrets?.[id];
    const holder =
      own === undefined ? signer(id, scheme, randomStream(seed, "clearing", "key", id).bytes(32)) : signer(id, "secp256k1", own);
    return { id, holder, identity: { ...identity, id, key: holder.key, issues: [...(identity.issues ?? [])] } };
  });
  const signers = Object.fromEntries(entries.map(({ id, holder }) => [id, holder])) as Record<Name, Signer>;
  return { signers, registry: registryOf(entries.map(({ identity }) => identity)) };
}

function entriesOf<Name extends string, Value>(record: Readonly<Record<Name, Value>>): [Name, Value][] {
  return Object.entries(record) as [Name, Value][];
}
