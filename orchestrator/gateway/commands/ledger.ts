import { z } from "zod";
import type { Address } from "../../primitives/hex.ts";
import type { World } from "../command.ts";
import { payloadsOf } from "../payloads.ts";
import { units } from "../wire.ts";

/** A mission's accounts: deposit = paid + fees + insurance + discount + refunded + children + what it still holds. */
export const ledgerOutput = z.strictObject({
  deposit: units,
  paid: units,
  fees: units,
  insurance: units,
  discount: units,
  refunded: units,
  /** Owed and unclaimed. */
  entitled: units,
  /** Lent to child missions. */
  children: units,
  /** From the treasury, as reputation premium. */
  subsidy: units,
  /** Bonds of open appeals. */
  bonds: units,
  isClosed: z.boolean(),
});

export async function ledgerOf({ client }: World, mission: Address): Promise<z.infer<typeof ledgerOutput>> {
  const books = await client.mission(mission).ledger();
  return {
    deposit: books.deposit.toString(),
    paid: books.paid.toString(),
    fees: books.fees.toString(),
    insurance: books.insurance.toString(),
    discount: books.discount.toString(),
    refunded: books.refunded.toString(),
    entitled: books.entitled.toString(),
    children: books.children.toString(),
    subsidy: books.subsidy.toString(),
    bonds: books.bonds.toString(),
    isClosed: books.closed,
  };
}

const deployedSchema = z.object({ mission: z.custom<Address>((value) => typeof value === "string") });

/** Ledgers of every mission. */
export async function ledgersOf(world: World): Promise<readonly z.infer<typeof ledgerOutput>[]> {
  const deployed = await payloadsOf(world, { name: "TemplateRegistry.MissionDeployed" }, deployedSchema);
  return Promise.all(deployed.map(({ args }) => ledgerOf(world, args.mission)));
}
