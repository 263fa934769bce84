import { actDescriptor } from "../../orchestrator/protocol/act-descriptor.ts";
import { type OfficeOptions, openOffice } from "./office.ts";

/** Prints the ERC-7730 descriptor of this city's acts, for a hardware wallet. */
export async function descriptor(options: OfficeOptions): Promise<void> {
  const office = await openOffice(options);
  try {
    const { chain, addresses } = office.client;
    const bound = actDescriptor({ chainId: chain.id, adjudication: addresses.AdjudicationProcedure });
    process.stdout.write(`${JSON.stringify(bound, null, 2)}\n`);
  } finally {
    await office.close();
  }
}
