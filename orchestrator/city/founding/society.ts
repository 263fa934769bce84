import type { LocalAccount } from "viem";
import { devnetAccount, devnetSigner } from "../../chain/devnet.ts";
import type { Address } from "../../primitives/hex.ts";
import type { ByteSigner } from "../../primitives/signing.ts";

/** A member's function in a city. */
export type Role =
  | "deployer"
  | "relayer"
  | "sponsor"
  | "principal"
  | "producer"
  | "verifier"
  | "issuer"
  | "runner"
  | "monitor"
  | "registrar"
  | "speaker"
  | "regulator"
  | "codifier"
  | "adjudicator"
  | "manager";

/** A member of a devnet with its key. `principal`: the human behind an agent. */
export interface Member {
  readonly name: string;
  readonly role: Role;
  readonly principal?: string;
  /** Registration stake, smallest unit. Default: the same for all. */
  readonly stake?: bigint;
  /** Claimed capabilities: ten 16-bit levels, dimension 0 lowest. Default: drawn from the city's seed. */
  readonly capabilities?: bigint;
  /** A producer's place in a stake pool that backs its bids (AgentCity B.7). */
  readonly pool?: PoolPlace;
  readonly account: LocalAccount;
  /** The same key for plain bytes: claims, evidence and decisions off chain. */
  readonly seal: () => ByteSigner;
}

/** The pool's manager, and the contribution in the smallest unit. */
export interface PoolPlace {
  readonly manager: string;
  readonly contribution: bigint;
}

/** Members of a role, and their principals, in turn. */
interface Roll {
  readonly role: Role;
  readonly names: readonly string[];
  readonly principals?: readonly string[];
}

/** How many of each role a demonstration needs (decision 34). */
const PLAN: readonly Roll[] = [
  { role: "deployer", names: ["deployer"] },
  { role: "relayer", names: ["relayer-1", "relayer-2", "relayer-3"] },
  { role: "sponsor", names: ["sponsor"] },
  { role: "principal", names: ["Ada", "Bo", "Cleo", "Dan", "Eve", "Finn", "Gil", "Hana"] },
  { role: "producer", names: ["P1", "P2", "P3", "P4", "P5", "P6", "P7", "P8"], principals: ["Ada", "Bo", "Cleo", "Dan"] },
  { role: "verifier", names: ["V1", "V2", "V3", "V4", "V5"], principals: ["Eve", "Finn"] },
  { role: "issuer", names: ["re-execution issuer", "receipt issuer"], principals: ["Gil"] },
  { role: "runner", names: ["runner"], principals: ["Hana"] },
  { role: "monitor", names: ["monitor"], principals: ["Hana"] },
  { role: "registrar", names: ["registrar"] },
  { role: "speaker", names: ["speaker"] },
  { role: "regulator", names: ["regulator"] },
  { role: "codifier", names: ["codifier"] },
  { role: "adjudicator", names: [1, 2, 3, 4, 5, 6, 7].map((number) => `adjudicator-${number}`) },
];

/** The members of a devnet city, in one fixed order; member k holds development key k. */
export function devnetSociety(mnemonic?: string): readonly Member[] {
  return societyOf(PLAN, mnemonic);
}

/** Producers that one principal answers for in an assembly. */
const AGENTS_PER_PRINCIPAL = 4;

/** A city of as many producers as asked for, P1, P2, …, with the same offices; its keys are a devnet's too. */
export function assemblySociety(producers: number, perPrincipal: number = AGENTS_PER_PRINCIPAL): readonly Member[] {
  const numbered = (name: string, count: number) => Array.from({ length: count }, (_, index) => `${name}${index + 1}`);
  const owners = numbered("owner-", Math.max(2, Math.ceil(producers / perPrincipal)));
  return societyOf(
    PLAN.map((roll) => {
      if (roll.role === "principal") return { ...roll, names: [...owners, ...roll.names] };
      return roll.role === "producer" ? { ...roll, names: numbered("P", producers), principals: owners } : roll;
    }),
  );
}

/** The society with an additional manager of a stake pool of these producers; `contributions` by name, smallest unit. */
export function withPool(society: readonly Member[], manager: string, contributions: Readonly<Record<string, bigint>>): readonly Member[] {
  const known = new Set(membersOf(society, "producer").map(({ name }) => name));
  const stranger = Object.keys(contributions).find((name) => !known.has(name));
  if (stranger !== undefined) throw new RangeError(`no producer ${stranger} in this city`);
  const key = society.length;
  return [
    ...society.map((member) => {
      const contribution = member.role === "producer" ? contributions[member.name] : undefined;
      return contribution === undefined ? member : { ...member, pool: { manager, contribution } };
    }),
    { name: manager, role: "manager", account: devnetAccount(key), seal: once(() => devnetSigner(key)) },
  ];
}

/** The society with an additional issuer of this principal: two issuers can refute work by re-execution (decision 94). */
export function withIssuer(society: readonly Member[], name: string, principal: string): readonly Member[] {
  const key = society.length;
  return [...society, { name, role: "issuer", principal, account: devnetAccount(key), seal: once(() => devnetSigner(key)) }];
}

/** The evidence class of each issuer: the second signs receipts, the others re-execute. */
export function issuedBy(place: number): "ATT" | "REC" {
  return place === 1 ? "REC" : "ATT";
}

function societyOf(plan: readonly Roll[], mnemonic?: string): readonly Member[] {
  let index = 0;
  return plan.flatMap(({ role, names, principals }) =>
    names.map((name, position): Member => {
      const principal = principals?.[position % principals.length];
      const key = index;
      const seal = once(() => devnetSigner(key, mnemonic));
      const member = { name, role, account: devnetAccount(key, mnemonic), seal, ...(principal === undefined ? {} : { principal }) };
      index += 1;
      return member;
    }),
  );
}

/** Most keys never seal anything, and deriving one takes a millisecond. */
function once<Value>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** Members of one role, in order. */
export function membersOf(society: readonly Member[], role: Role): readonly Member[] {
  return society.filter((member) => member.role === role);
}

/** The only member of a role, or the named one. */
export function memberOf(society: readonly Member[], role: Role, name?: string): Member {
  const found = society.find((member) => member.role === role && (name === undefined || member.name === name));
  if (found === undefined) throw new RangeError(`no ${role} ${name ?? ""} in this city`);
  return found;
}

/** The name of an address; the address itself if it belongs to no member of this city. */
export function nameOf(society: readonly Member[], address: Address): string {
  return society.find(({ account }) => account.address === address)?.name ?? address;
}
