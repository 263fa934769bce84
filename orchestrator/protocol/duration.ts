const DURATION = /^(?:(\d{1,4})d)?(?:(\d{1,5})h)?(?:(\d{1,6})m)?(?:(\d{1,8})s)?$/;
const SECONDS = [86_400, 3_600, 60, 1];

/** "30m", "90s", "1h30m", "2d" → seconds; undefined for anything else, including empty text. */
export function parseDuration(text: string): number | undefined {
  const match = DURATION.exec(text);
  if (match === null) return undefined;
  const seconds = SECONDS.reduce((sum, unit, index) => sum + unit * Number(match[index + 1] ?? 0), 0);
  return seconds > 0 ? seconds : undefined;
}
