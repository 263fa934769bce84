import type { Service, ServiceAbout } from "./shared/contract.js";
export declare const about: ServiceAbout;
/** The first two tables: results of the tasks before it, in their order, or CSV files by name. Rows of the first, once for each match. */
declare const join: Service;
export default join;
