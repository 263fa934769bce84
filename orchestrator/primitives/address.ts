import { getAddress, isAddress } from "viem";
import { z } from "zod";
import type { Address } from "./hex.ts";

/** Separate from the other byte schemas: checksums are Ethereum's, and libraries that know no chain do without this file. */
export const addressSchema = z
  .custom<Address>((value) => typeof value === "string" && isAddress(value), "expected an address: 0x and 40 hex digits")
  .transform((value): Address => getAddress(value));
