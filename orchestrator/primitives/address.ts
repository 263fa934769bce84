import { getAddress, isAddress } from "viem";
import { z } from "zod";
import type { Address } from "./hex.ts";

/** Apart from the other schemas of bytes: checksums are Ethereum's, and the libraries that know no chain do without them. */
export const addressSchema = z
  .custom<Address>((value) => typeof value === "string" && isAddress(value), "expected an address: 0x and 40 hex digits")
  .transform((value): Address => getAddress(value));
