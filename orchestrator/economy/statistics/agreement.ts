/** Agreement of raters beyond chance. */

/**
 * Krippendorff's α for nominal answers, any number of raters, missing answers allowed: 1 if all agree, 0 for agreement as expected by
 * chance. Each unit is the list of its answers; units with fewer than two are ignored. NaN if no two answers differ, or there are none.
 */
export function krippendorff(units: readonly (readonly string[])[]): number {
  const paired = units.filter((answers) => answers.length > 1);
  const totals = new Map<string, number>();
  for (const answer of paired.flat()) totals.set(answer, (totals.get(answer) ?? 0) + 1);
  const values = paired.reduce((sum, { length }) => sum + length, 0);
  const counts = [...totals.values()];
  const expected = (values ** 2 - counts.reduce((sum, count) => sum + count ** 2, 0)) / (values - 1);
  const observed = paired.reduce((sum, answers) => {
    const unlike = answers.flatMap((one) => answers.filter((other) => other !== one)).length;
    return sum + unlike / (answers.length - 1);
  }, 0);
  return expected === 0 ? Number.NaN : 1 - observed / expected;
}
