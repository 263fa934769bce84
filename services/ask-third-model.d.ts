import type { ServiceAbout } from "./shared/contract.js";
export declare const about: ServiceAbout;
declare const askThirdModel: import("./shared/contract.js").Service;
export default askThirdModel;
