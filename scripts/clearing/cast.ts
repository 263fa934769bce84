import { type Identity, type Registry, registryOf } from "../../orchestrator/clearing/registry.ts";
import { type SchemeName, type Signer, signer } from "../../orchestrator/clearing/signature.ts";
import { randomStream, type Seed } from "../../orchestrator/primitives/random.ts";

/** A person or machine of a scenario; the scheme is Ed25519 unless said. */
export interface Part extends Partial<Pick<Identity, "issues" | "role" | "from" | "until">> {
  readonly principal: string;
  readonly scheme?: SchemeName;
}

export interface Cast<Name extends string> {
  readonly signers: Readonly<Record<Name, Signer>>;
  readonly registry: Registry;
}

/** Keys from the seed for everybody, and a registry of them. */
export function castOf<Name extends string>(seed: Seed, parts: Readonly<Record<Name, Part>>): Cast<Name> {
  const entries = entriesOf(parts).map(([id, { scheme = "ed25519", ...identity }]) => {
    const holder = signer(id, scheme, randomStream(seed, "clearing", "key", id).bytes(32));
    return { id, holder, identity: { ...identity, id, key: holder.key, issues: [...(identity.issues ?? [])] } };
  });
  const signers = Object.fromEntries(entries.map(({ id, holder }) => [id, holder])) as Record<Name, Signer>;
  return { signers, registry: registryOf(entries.map(({ identity }) => identity)) };
}

function entriesOf<Name extends string, Value>(record: Readonly<Record<Name, Value>>): [Name, Value][] {
  return Object.entries(record) as [Name, Value][];
}
