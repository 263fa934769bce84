import type { Service, ServiceAbout } from "./shared/contract.js";
export declare const about: ServiceAbout;
/** A row per item in order of id, a column per field: a table's cells in its order, then fields in order of name; lists and objects as JSON. */
declare const csv: Service;
export default csv;
