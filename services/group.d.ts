import type { Service, ServiceAbout } from "./shared/contract.js";
export declare const about: ServiceAbout;
/** Items without the field are one group of their own, which comes last. Cells that are no numbers add nothing, and are counted. */
declare const group: Service;
export default group;
