import type { Service, ServiceAbout } from "./shared/contract.js";
export declare const about: ServiceAbout;
/** One row per label with its count, and the report: one part for each task whose items are about something of their own. */
declare const aggregate: Service;
export default aggregate;
