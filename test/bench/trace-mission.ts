/** Runs one reference mission and prints what each of its transactions did with its gas, as JSON. Started by `npm run gas:trace`. */
import { named, readNames } from "../../scripts/bench/code-names.ts";
import { ethers } from "../support/city-fixture.ts";
import { referenceMission } from "./missions.ts";

const [mode, artifacts = ""] = process.argv.slice(2);
const traces = await referenceMission(mode === "hybrid" ? "hybrid" : "on-chain");
const ask = (method: string, params: readonly unknown[]) => ethers.provider.send(method, [...params]);
console.log(JSON.stringify(await named(ask, readNames(artifacts), traces)));
