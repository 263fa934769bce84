import type { LocalAccount } from "viem";
import { vouch } from "../execution/claims.ts";
import { bytesUnder } from "../execution/clearing-record.ts";
import { openingOf, saltOf } from "../execution/evidence.ts";
import type { Sandbox } from "../execution/sandbox/run.ts";
import type { Deed, Issuer, Signing, Verifier, Worker } from "../execution/seat.ts";
import type { Mind } from "../minds/mind.ts";
import type { Address } from "../primitives/hex.ts";
import { isObject, type JsonObject } from "../primitives/json.ts";
import type { ByteSigner } from "../primitives/signing.ts";
import { commitmentOf } from "../rules/commitments.ts";

/** Somebody whose key is in this process. */
export interface Holder {
  readonly name: string;
  readonly principal: Address;
  readonly account: LocalAccount;
  /** The same key over plain bytes. */
  readonly seal: () => ByteSigner;
}

/** A producer whose key, mind and hands are in this process. */
export interface Resident extends Holder {
  readonly mind: Mind;
  readonly manager?: LocalAccount;
}

/** Test and demonstration only: what a lying executor hands in instead of its result. */
export type Tamper = (work: { readonly label: string; readonly attempt: number; readonly agent: string }, output: JsonObject) => JsonObject;

/** What all seats of this process share. `seed`: of their salts. */
export interface House {
  readonly sandbox: Sandbox;
  readonly seed: string;
  readonly tamper?: Tamper | undefined;
}

function signing({ name, principal, account, seal }: Holder): Signing {
  return {
    ...{ name, principal, account },
    seal: async (document) => ({ publicKey: seal().publicKey, signature: seal().sign(bytesUnder(document, account.address)) }),
  };
}

/** The seat of a producer that lives here: it is never absent. */
export function localSeat({ seal, ...resident }: Resident, { sandbox, seed, tamper }: House): Worker {
  const { name, account } = resident;
  const opening = (deed: Deed) => openingOf(deed, saltOf(seed, account.address, deed.obligation));
  return {
    ...resident,
    ...signing({ ...resident, seal }),
    async perform({ label, attempt, service: { bundle, schemas }, input, limits, tools }) {
      const run = await sandbox.run({ bundle, schemas, input, limits, tools });
      if (run.status === "failed") return run;
      const output = tamper === undefined || !isObject(run.output) ? run.output : tamper({ label, attempt, agent: name }, run.output);
      return { status: "ok", output, trail: run.trail.map(({ hash }) => hash), tools: run.meters.tools, messages: run.meters.messages };
    },
    pledge: async (deed) => commitmentOf(account.address, opening(deed), deed.obligation),
    open: async (deed) => opening(deed),
  };
}

/** The seat of a verifier that lives here. */
export function localVerifier(holder: Holder): Verifier {
  return { ...signing(holder), judge: (brief) => brief.conclude() };
}

/** The seat of an issuer that lives here. `now`: milliseconds of chain time. */
export function localIssuer(holder: Holder & Pick<Issuer, "issues">, now: () => number): Issuer {
  const { account, issues, seal } = holder;
  return {
    ...signing(holder),
    issues,
    vouch: ({ claim, obtain }) => vouch(claim, obtain, { address: account.address, signer: seal(), now }),
  };
}
