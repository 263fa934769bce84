import { stringify } from "yaml";
import type { ProductionStakes } from "../../deploy/production-preset.ts";
import { devnetAccount } from "../../orchestrator/chain/devnet.ts";
import { devnetSociety, type Role } from "../../orchestrator/city/founding/society.ts";

/** A founding file with these stakes. Its people are the development keys of a devnet. */
export function foundingFile(value: number, stakes: ProductionStakes): string {
  const society = devnetSociety();
  const addressOf = (name: string) => {
    const member = society.find((one) => one.name === name);
    if (member === undefined) throw new RangeError(`no ${name} in the devnet's society`);
    return member.account.address;
  };
  const people = (role: Role) =>
    society
      .filter((member) => member.role === role)
      .map(({ account, principal, name }) => ({ address: account.address, principal: addressOf(principal ?? name) }));
  const document = {
    mandate: `Serve the humans who sign; missions worth up to ${value} tokens.`,
    preset: "prototype",
    parameters: Object.fromEntries(Object.entries(stakes).map(([name, stake]) => [name, Number(stake)])),
    // A founding file names two more than the quorum, which is all that the devnet has.
    adjudicators: [
      ...people("adjudicator").map(({ address }) => address),
      ...[0, 1].map((further) => devnetAccount(society.length + further).address),
    ],
    clerks: {
      registrar: people("registrar"),
      speaker: people("speaker"),
      regulator: people("regulator"),
      codifier: people("codifier"),
    },
    issuers: people("issuer").map((issuer) => ({ ...issuer, classes: ["ATT", "REC"] })),
    runners: people("runner"),
    monitors: people("monitor"),
    verifiers: people("verifier").map(({ address }) => ({ address })),
  };
  return `# Made by npm run deterrence. Every address is a development key that anybody has: replace them all.\n${stringify(document, { lineWidth: 0, aliasDuplicateObjects: false })}`;
}
