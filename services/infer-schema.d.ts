import type { Service, ServiceAbout } from "./shared/contract.js";
export declare const about: ServiceAbout;
/** One item per column; the document is the schema of a row. */
declare const inferSchema: Service;
export default inferSchema;
