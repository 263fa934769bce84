/** Registries of ERC-8004 as their authors published them: fetched and compiled here, at the commit that is named. */
import { encodeFunctionData, zeroAddress } from "viem";
import { type Compiled, compilePublished } from "../support/published.ts";
import { describeRegistries, type Registrar } from "../support/registries-suite.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const REGISTRIES = {
  repository: "erc-8004/erc-8004-contracts",
  openzeppelin: "5.4.0",
  viaIR: true,
  commit: "b9e466c250744a7e06b13dff9d3c2844ed64f825",
  files: [
    ...["ERC1967Proxy", "HardhatMinimalUUPS"],
    ...["IdentityRegistryUpgradeable", "ReputationRegistryUpgradeable", "ValidationRegistryUpgradeable"],
  ].map((name) => `contracts/${name}.sol`),
};

describe("registries that others published: ERC-8004", () => {
  const directory = suiteDirectory();
  let compiled: (name: string) => Compiled;
  before(function () {
    this.timeout(300_000);
    compiled = compilePublished(directory(), REGISTRIES);
  });

  /** As its authors deploy: an empty implementation first, then the real one. */
  async function behindProxy({ deploy, call }: Registrar, name: string, initial: `0x${string}`, args: readonly unknown[]) {
    const first = compiled("HardhatMinimalUUPS");
    const start = encodeFunctionData({ abi: first.abi, functionName: "initialize", args: [initial] });
    const proxy = await deploy(compiled("ERC1967Proxy"), [await deploy(first), start]);
    const real = compiled(name);
    const data = encodeFunctionData({ abi: real.abi, functionName: "initialize", args: [...args] });
    await call(proxy, first.abi, "upgradeToAndCall", [await deploy(real), data]);
    return proxy;
  }

  describeRegistries(`at ${REGISTRIES.commit.slice(0, 7)}`, () => ({
    identities: (by) => behindProxy(by, "IdentityRegistryUpgradeable", zeroAddress, []),
    reputations: (by, identities) => behindProxy(by, "ReputationRegistryUpgradeable", identities, [identities]),
    validations: (by, identities) => behindProxy(by, "ValidationRegistryUpgradeable", identities, [identities]),
  }));
});
