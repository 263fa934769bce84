import type { Service, ServiceAbout } from "./shared/contract.js";
export declare const about: ServiceAbout;
/** One item per page: `label` is its first schema.org or Open Graph type, `value` the number of data blocks. */
declare const structuredData: Service;
export default structuredData;
