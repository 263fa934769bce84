import type { Service, ServiceAbout } from "./contract.js";
/** What services have in common that ask the model at one place (from 0) of the task's list. */
export declare function aboutModel(place: number): Omit<ServiceAbout, "id" | "title" | "description">;
/** Asks about each item by itself, so that what one says cannot reach the answer about another. `label` is the answer. */
export declare function askingModel(place: number): Service;
