import type { Service, ServiceAbout } from "./contract.js";
/** What services have in common that say how a text feels, each by its own method. */
export declare const ABOUT_SENTIMENT: Omit<ServiceAbout, "id" | "title" | "description">;
/** Makes a service of a method that gives a text from −1 (negative) to 1 (positive). Within `neutral` of 0 it is neither. */
export declare function sentimentBy(score: (text: string) => number, neutral: number): Service;
