import { createRequire } from "node:module";
import hardhatToolboxMochaEthers from "@nomicfoundation/hardhat-toolbox-mocha-ethers";
import { defineConfig } from "hardhat/config";

/** The compiler comes from the lock file, so that building needs no network. */
const soljson = createRequire(import.meta.url).resolve("solc/soljson.js");

function solc(viaIR: boolean, runs: number) {
  return {
    isolated: false,
    version: "0.8.33",
    path: soljson,
    // Without a hash of the sources in it, bytecode does not change with a comment.
    settings: { evmVersion: "cancun", optimizer: { enabled: true, runs }, viaIR, metadata: { bytecodeHash: "none" } },
  };
}

/** One chain for tests and the embedded city: the clock starts on a fixed date and moves only on request. */
const embedded = {
  type: "edr-simulated",
  chainType: "l1",
  chainId: 31337,
  hardfork: "cancun",
  allowBlocksWithSameTimestamp: true,
  initialDate: "2026-01-01T00:00:00Z",
} as const;

export default defineConfig({
  plugins: [hardhatToolboxMochaEthers],
  solidity: {
    npmFilesToBuild: [],
    profiles: {
      /** The edit loop, tests and the embedded chain. */
      default: solc(false, 200),
      /** Deployments to real networks, gas tables and the size check. Ten thousand runs would save a mission a quarter of a percent more. */
      production: solc(true, 1000),
    },
  },
  /** `network.create()` without a name takes `default`. */
  networks: { default: embedded, hardhat: embedded },
  paths: { tests: { mocha: "test/contracts", solidity: "test/contracts" } },
  typechain: { outDir: "artifacts/typechain", tsNocheck: true },
  test: {
    mocha: { timeout: 60_000 },
    solidity: { fuzz: { runs: 256, seed: "0x7" }, invariant: { runs: 64, depth: 32, failOnRevert: false } },
  },
});
