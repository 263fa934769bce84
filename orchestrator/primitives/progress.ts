/** Number of finished tasks of a mission. */
export interface Done {
  readonly done: number;
  readonly of: number;
}

/** Reports one line of progress to a person. */
export type Progress = (line: string, done?: Done) => void;
