/** Names of the languages that franc-min tells apart, by ISO 639-3 code. */
export declare const LANGUAGE_NAMES: Readonly<Record<string, string>>;
