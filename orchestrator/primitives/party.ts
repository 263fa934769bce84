import { isIP, isIPv4 } from "node:net";

/**
 * The party that shares a rate limit: one IPv4 address, or the /64 of an IPv6 address, which belongs to one owner as a whole.
 *
 * @param socket The address of the peer.
 * @param forwarded `X-Forwarded-For`, trusted as far as it was added by `proxies`.
 */
export function partyOf(socket: string, forwarded: string | undefined, proxies: readonly string[]): string {
  const hops = [...(forwarded?.split(",") ?? []).map((hop) => plain(hop.trim())), plain(socket)];
  let caller = hops.at(-1) ?? "";
  for (const before of hops.slice(0, -1).toReversed()) {
    // A forwarded value that is not an address counts as the proxy's own request.
    if (!proxies.includes(caller) || isIP(before) === 0) break;
    caller = before;
  }
  return isIP(caller) === 6 ? networkOf(caller) : caller;
}

/** An IPv4 address in its plain form, also when it arrives over a dual-stack socket. */
function plain(address: string): string {
  const [, mapped = ""] = /^::ffff:(.+)$/i.exec(address) ?? [];
  return isIPv4(mapped) ? mapped : address;
}

function networkOf(address: string): string {
  const [head = "", tail = ""] = (address.split("%")[0] ?? "").split("::");
  const [first, last] = [head, tail].map((half) => half.split(":").filter((group) => group !== ""));
  const missing = 8 - (first?.length ?? 0) - (last?.length ?? 0);
  const groups = [...(first ?? []), ...Array.from({ length: Math.max(0, missing) }, () => "0"), ...(last ?? [])];
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":");
}
