/** A point on the unit sphere; all zeros for a text without features. */
export type Vector = Float64Array;

/** Maps texts to vectors, similar texts close together (AgentCity B.11.2, representation). */
export interface Embedder {
  /** Algorithm and version: vectors of different ids are never compared, nor is one id's calibration used for another. */
  readonly id: string;
  readonly dimensions: number;
  embed(texts: readonly string[]): Promise<readonly Vector[]>;
}

/** Dimensions of the paper's reference model, shared by the bundled embedders. */
export const DIMENSIONS = 3_072;

/** Scales a vector to length one in place; the zero vector is unchanged. */
export function normalized(vector: Vector): Vector {
  let square = 0;
  for (const value of vector) square += value * value;
  if (square === 0) return vector;
  const length = Math.sqrt(square);
  for (let index = 0; index < vector.length; index += 1) vector[index] = (vector[index] ?? 0) / length;
  return vector;
}
