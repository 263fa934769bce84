import { InvalidArgumentError, Option } from "commander";

/** An option for a bounded integer. */
export function whole(flags: string, description: string, least: number, most: number): Option {
  return new Option(flags, `${description} (${least}–${most})`).argParser((text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= least && value <= most)) throw new InvalidArgumentError(`It takes a whole number from ${least} to ${most}.`);
    return value;
  });
}
