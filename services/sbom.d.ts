import type { Service, ServiceAbout } from "./shared/contract.js";
export declare const about: ServiceAbout;
/** Components are in order of their place below `node_modules`, which is also their reference. */
declare const sbom: Service;
export default sbom;
