import type { ServiceAbout } from "./shared/contract.js";
/** A service that agents can sell: what it says about itself, and the file to bundle. */
export interface CatalogEntry extends ServiceAbout {
    readonly file: string;
}
/** The services that come with the city, by id. A service's file is named for its id. */
export declare const CATALOG: readonly CatalogEntry[];
