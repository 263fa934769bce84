import { keccak256 } from "viem";
import { emptied } from "../../deploy/artifacts.ts";
import { entries, missionTemplate, sources } from "../../deploy/genesis.ts";
import type { CityClient } from "../client/client.ts";
import { addressSchema } from "../primitives/address.ts";
import { type Address, type Hex, hexSchema } from "../primitives/hex.ts";
import { OtherCode } from "./errors.ts";
import { type OwnBuild, ownBuilds } from "./own-builds.ts";

/**
 * Compares the code of every contract of a city, of its published mission templates and of the libraries they call with this version's own
 * contracts; all must come from one build. Values filled in at deployment are ignored, except that libraries are followed and an address
 * among the immutables must belong to the city. The token is not compared: a city may settle in any. Throws OtherCode, ArtifactMissing.
 */
export async function requireOwnCode(client: CityClient, builds: readonly OwnBuild[] = ownBuilds()): Promise<void> {
  const { chain, addresses, templates } = client;
  // A version that was withdrawn while it waited has the number of the one in its place.
  const published = new Map(
    (await templates.history("TemplatePublished")).map(({ args: { name, version, implementation } }) => [
      `${name} ${version}`,
      implementation,
    ]),
  );
  const contracts = [
    ...entries(sources).flatMap(([contract, source]) => (contract === "CityToken" ? [] : [{ source, address: addresses[contract] }])),
    ...[...published.values()].map((address) => ({ source: missionTemplate.source, address })),
  ];
  const known = new Map<Address, Hex>();
  const read = async (address: Address): Promise<Hex> => {
    const code = known.get(address) ?? hexSchema.parse((await chain.publicClient.getCode({ address })) ?? "0x");
    known.set(address, code);
    return code;
  };
  const own = new Set([...Object.values(addresses), ...contracts.map(({ address }) => address)].map((address) => address.toLowerCase()));
  const others: Placed[] = [];
  for (const build of builds) {
    const other = await firstOther(build, contracts, { read, own });
    if (other === undefined) return;
    others.push(other);
  }
  const [other] = others;
  if (other !== undefined)
    throw new OtherCode(
      other.source,
      other.address,
      builds.map(({ profile }) => profile),
    );
}

type Hole = NonNullable<OwnBuild["code"][string]>["holes"][number];

interface Placed {
  readonly source: string;
  readonly address: Address;
}

interface Live {
  readonly read: (address: Address) => Promise<Hex>;
  /** The city's own addresses, in lower case. */
  readonly own: ReadonlySet<string>;
}

/** The first contract or library that does not come from this build. */
async function firstOther({ code }: OwnBuild, contracts: readonly Placed[], { read, own }: Live): Promise<Placed | undefined> {
  const compared = new Set<string>();
  const left = [...contracts];
  for (let next = left.shift(); next !== undefined; next = left.shift()) {
    const { source, address } = next;
    if (compared.has(`${source} ${address}`)) continue;
    compared.add(`${source} ${address}`);
    const built = code[source];
    const live = await read(address);
    if (built === undefined || live.length / 2 - 1 !== built.length || keccak256(emptied(live, built.holes)) !== built.hash) return next;
    const wordAt = (start: number, length: number): Hex => `0x${live.slice(2 + 2 * start, 2 + 2 * (start + length))}`;
    // The root has one extra immutable, the deployer, whose power ended with the founding.
    const isForeign = ({ start, length }: Hole) =>
      length === WORD && isAddressWord(wordAt(start, length)) && !own.has(`0x${wordAt(start, length).slice(-40)}`);
    if (source !== sources.ConstitutionContract && built.holes.some(isForeign)) return next;
    for (const { source: library, starts } of built.libraries)
      for (const start of starts) left.push({ source: library, address: addressSchema.parse(wordAt(start, 20)) });
  }
  return undefined;
}

/** Bytes of an immutable. */
const WORD = 32;

/** Whether a word holds an address: too large for a time or a count, too small for a hash. */
function isAddressWord(word: Hex): boolean {
  const value = BigInt(word);
  return value >= 2n ** 96n && value < 2n ** 160n;
}
