import { existsSync, readFileSync } from "node:fs";
import type { CityAddresses } from "agentcity";
import { defineChain, http } from "viem";

/** How to reach a living city, from its `city.json`: spread into `createAgentCityClient`, with an account to write. */
export function connect(file = ".agentcity/embedded/city.json") {
  if (!existsSync(file)) throw new Error(`no city runs at ${file}: keep one alive with npm start -- --wait-for-humans`);
  const { rpcUrl, chainId, addresses } = JSON.parse(readFileSync(file, "utf8")) as {
    rpcUrl: string;
    chainId: number;
    addresses: CityAddresses;
  };
  const chain = defineChain({
    id: chainId,
    name: "city",
    nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
  });
  return { chain, transport: http(), city: addresses };
}
