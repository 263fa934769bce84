import { BlockList, isIP } from "node:net";

/** What IANA's special-purpose registries keep apart from the public internet (RFC 6890 and its successors). */
const SPECIAL_4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
];

/** Public IPv6 is what lies in 2000::/3 and is not one of these; they embed IPv4 addresses or are for documents and tests. */
const SPECIAL_6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"];

const special = blockList([...SPECIAL_4, ...SPECIAL_6]);
const global6 = blockList(["2000::/3"]);

/** True for an address that anybody on the internet can reach and that is nobody's in particular here. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !special.check(address, "ipv4");
    case 6:
      return global6.check(address, "ipv6") && !special.check(address, "ipv6");
    default:
      return false;
  }
}

function blockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = "", bits = ""] = range.split("/");
    list.addSubnet(network, Number(bits), network.includes(":") ? "ipv6" : "ipv4");
  }
  return list;
}
