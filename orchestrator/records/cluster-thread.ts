import { workerData } from "node:worker_threads";
import { makeCluster } from "./database.ts";

const dir: string = workerData;
await makeCluster(dir);
