import { sha256 } from "../primitives/hash.ts";
import { canonicalJson, isObject, type JsonObject, type JsonValue, parseJson } from "../primitives/json.ts";
import { agreementHash, PARTIES } from "./canonical.ts";
import { AgreementRefused } from "./errors.ts";
import { type Agreement, readAgreement } from "./schema.ts";

/** Port for reading and appending lines, such as a file or a table. */
export interface Lines {
  read(): Iterable<string>;
  append(line: string): void;
}

/** An agreement at one time, with what happened to it. */
export interface StoredAgreement {
  readonly agreement: Agreement;
  readonly facts: JsonObject;
}

/**
 * Agreements by id and by party. Every line carries a hash of its content; the last line of an agreement counts. A line that does not match
 * its hash is an error and never skipped, because a lost agreement costs someone money.
 */
export class AgreementStore {
  readonly #lines: Lines;
  readonly #byId = new Map<string, StoredAgreement>();
  readonly #byParty = new Map<string, Set<string>>();

  /** Throws BrokenRecord. */
  constructor(lines: Lines) {
    this.#lines = lines;
    let number = 0;
    for (const line of lines.read()) {
      number += 1;
      this.#index(read(line, number));
    }
  }

  get(id: string): StoredAgreement | undefined {
    return this.#byId.get(id);
  }

  /** Ids of a party's agreements, by identity. */
  of(scheme: string, value: string): readonly string[] {
    return [...(this.#byParty.get(`${scheme}:${value}`) ?? [])];
  }

  /** Stores an agreement's current state. Signed terms cannot change: throws Frozen. */
  put(stored: StoredAgreement): void {
    const before = this.#byId.get(stored.agreement.agreement_id)?.agreement;
    const signed = PARTIES.some((party) => before?.signatures?.[party] !== undefined);
    if (before !== undefined && signed && agreementHash(before) !== agreementHash(stored.agreement))
      throw new AgreementRefused("Frozen", "These terms are signed");
    const { agreement, facts } = stored;
    const body = canonicalJson({ agreement, facts });
    this.#lines.append(canonicalJson({ hash: sha256(body), record: parseJson(body) }));
    this.#index(stored);
  }

  #index(stored: StoredAgreement): void {
    const { agreement_id: id, parties } = stored.agreement;
    this.#byId.set(id, stored);
    for (const party of PARTIES) {
      const { scheme, value } = parties[party].identity;
      const ids = this.#byParty.get(`${scheme}:${value}`) ?? new Set();
      this.#byParty.set(`${scheme}:${value}`, ids.add(id));
    }
  }
}

function read(line: string, number: number): StoredAgreement {
  const broken = () => new AgreementRefused("BrokenRecord", `Line ${number} of the store is broken`);
  let value: JsonValue;
  try {
    value = parseJson(line);
  } catch {
    throw broken();
  }
  const record = isObject(value) ? value["record"] : undefined;
  if (!isObject(value) || !isObject(record) || sha256(canonicalJson(record)) !== value["hash"]) throw broken();
  const { facts } = record;
  if (!isObject(facts)) throw broken();
  return { agreement: readAgreement(record["agreement"]), facts };
}
