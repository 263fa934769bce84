/** How many of a mission's tasks are done. */
export interface Done {
  readonly done: number;
  readonly of: number;
}

/** One line of progress, for people. */
export type Tell = (line: string, done?: Done) => void;
