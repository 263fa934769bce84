import type { LocalAccount } from "viem";
import type { Judge } from "../clearing/mesh.ts";
import type { CityClient } from "../client/client.ts";
import { signMessage } from "../client/sign/sign-message.ts";
import { vouch } from "../execution/claims.ts";
import { bytesUnder } from "../execution/clearing-record.ts";
import { openingOf, saltOf } from "../execution/evidence.ts";
import { jobReceipt } from "../execution/hearing.ts";
import type { Sandbox } from "../execution/sandbox/run.ts";
import { type SealOf, sealWork, unsealWork } from "../execution/sealed-work.ts";
import type { CommittedWork, Issuer, Signing, Verifier, Vouching, Worker } from "../execution/seat.ts";
import { outputHashOf } from "../execution/work.ts";
import type { Mind } from "../minds/mind.ts";
import { AgentCityError } from "../primitives/errors.ts";
import type { Address, Hash } from "../primitives/hex.ts";
import { isObject, type JsonObject } from "../primitives/json.ts";
import { compileSchema } from "../primitives/json-schema.ts";
import type { ByteSigner } from "../primitives/signing.ts";
import { commitmentOf } from "../rules/commitments.ts";

/** A member whose key is in this process. */
export interface SeatHolder {
  readonly name: string;
  readonly principal: Address;
  readonly account: LocalAccount;
  /** Signs plain bytes with the same key. */
  readonly seal: () => ByteSigner;
}

/** A producer whose key, mind and sandbox are in this process. */
export interface LocalProducer extends SeatHolder {
  readonly mind: Mind;
  readonly manager?: LocalAccount;
}

/** Tests and demonstrations only: replaces an executor's result with a false one. */
export type Tamper = (work: { readonly label: string; readonly attempt: number; readonly agent: string }, output: JsonObject) => JsonObject;

/** Shared by all seats of this process. `seed`: of their salts. */
export interface LocalSeatOptions {
  readonly sandbox: Sandbox;
  readonly seed: string;
  readonly tamper?: Tamper | undefined;
}

function signing({ name, principal, account, seal }: SeatHolder): Signing {
  return {
    ...{ name, principal, account },
    seal: async (document) => ({ publicKey: seal().publicKey, signature: seal().sign(bytesUnder(document, account.address)) }),
  };
}

/** A producer's seat in this process: it is never absent. */
export function localSeat({ seal, ...resident }: LocalProducer, { sandbox, seed, tamper }: LocalSeatOptions): Worker {
  const { name, account } = resident;
  const salt = (obligation: Hash) => saltOf(seed, account.address, obligation);
  const opening = ({ obligation, slot, items, work }: CommittedWork) => {
    const own = "sealed" in work ? readOwn(work.sealed, { salt: salt(obligation), obligation, slot }) : work;
    return openingOf({ obligation, items, ...own }, salt(obligation));
  };
  return {
    ...resident,
    ...signing({ ...resident, seal }),
    opensEarly: true,
    async perform({ label, attempt, slot, service, input, limits, tools, sealedUnder: obligation }) {
      const { bundle, schemas, record } = service;
      const { constraints } = record;
      const run = await sandbox.run({ bundle, schemas, input, limits, constraints, soldAs: service, tools });
      if (run.status === "failed") return run;
      const output = tamper === undefined || !isObject(run.output) ? run.output : tamper({ label, attempt, agent: name }, run.output);
      const trail = run.trail.map(({ hash }) => hash);
      const { tools: asked, messages } = run.meters;
      if (obligation === undefined || !isObject(output)) return { status: "ok", output, trail, tools: asked, messages };
      const work = sealWork({ output, trail }, { salt: salt(obligation), obligation, slot });
      return { status: "sealed", work, tools: asked, messages };
    },
    pledge: async (committed) => commitmentOf(account.address, opening(committed), committed.obligation),
    open: async (committed) => opening(committed),
  };
}

/** Decrypts work that it sealed itself. */
function readOwn(sealed: Uint8Array, of: SealOf): { readonly outputHash: Hash; readonly trail: readonly Hash[] } {
  const work = unsealWork(sealed, of);
  if (work === undefined)
    throw new AgentCityError("SealBroken", "Work that was sealed here cannot be read", {
      action: "restore the city's records from a bundle or a backup",
    });
  return { outputHash: outputHashOf(work.output), trail: work.trail };
}

/** A verifier's seat in this process. `judge`: its model for semantic checks, if any. */
export function localVerifier(holder: SeatHolder, judge?: Judge): Verifier {
  const { address } = holder.account;
  return {
    ...signing(holder),
    judge: (brief) => brief.conclude(address, judge),
    hear: (brief) => brief.conclude(address, judge),
  };
}

/** An issuer's seat in this process. */
export function localIssuer(holder: SeatHolder & Pick<Issuer, "issues">, client: CityClient): Issuer {
  const now = () => 1_000 * Number(client.chain.clock.now());
  const { account, issues, seal } = holder;
  const check = ({ claim, obtain }: Pick<Vouching, "claim" | "obtain">) =>
    vouch(claim, obtain, { address: account.address, signer: seal(), now });
  return {
    ...signing(holder),
    issues,
    vouch: check,
    refute: check,
    measure: ({ schema, output }) => compileSchema(schema)(output) === undefined,
    async acknowledge(work) {
      const { item, message } = jobReceipt(account.address, work);
      return { ...item, signature: await signMessage(client, account, "Evidences", message, client.addresses.ClearingEvaluator) };
    },
  };
}
