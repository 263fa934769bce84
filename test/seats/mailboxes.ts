import { zeroAddress } from "viem";
import { devnetAccount } from "../../orchestrator/chain/devnet.ts";
import { openAnswers } from "../../orchestrator/records/answers.ts";
import { memoryBlocks } from "../../orchestrator/records/blocks.ts";
import { openCallRecords } from "../../orchestrator/records/calls.ts";
import type { Sql } from "../../orchestrator/records/sql.ts";
import { Mailbox, type MailboxOptions } from "../../orchestrator/seats/mailbox.ts";
import { wallClock } from "../support/office-holder.ts";

/** A mailbox of a city without contracts, over these records; a second one is the first after a restart. */
export function mailboxOver(sql: Sql, options: Partial<MailboxOptions> = {}): Mailbox {
  return new Mailbox({
    ...{ chainId: 31337, city: zeroAddress, receiver: devnetAccount(0), clock: wallClock },
    ...{ answers: openAnswers(sql), calls: openCallRecords(sql), blocks: memoryBlocks() },
    ...options,
  });
}
