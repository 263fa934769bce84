import type { ServiceAbout } from "./shared/contract.js";
export declare const about: ServiceAbout;
declare const askModel: import("./shared/contract.js").Service;
export default askModel;
