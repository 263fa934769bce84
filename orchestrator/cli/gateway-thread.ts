import { type MessagePort, workerData } from "node:worker_threads";
import { type FrontSettings, startFront } from "../gateway/front.ts";
import { wallTime } from "./wall-time.ts";

/** The thread of a city's gateway, which validates and answers requests while the city works on its missions. */
const { port, settings }: { readonly port: MessagePort; readonly settings: FrontSettings } = workerData;
startFront(port, settings, wallTime);
