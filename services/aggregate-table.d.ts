import type { Service, ServiceAbout } from "./shared/contract.js";
export declare const about: ServiceAbout;
/**
 * One item per group. Groups of one column come the greatest first; periods, and groups of several columns, in order of their names. Rows
 * without a number are counted in `missing`, never as 0.
 */
declare const aggregateTable: Service;
export default aggregateTable;
