import type { Command } from "../command.ts";
import { agreementCommands } from "./agreements.ts";
import { appealCommands } from "./appeals.ts";
import { breakerCommands } from "./breakers.ts";
import { bundleCommands } from "./bundles.ts";
import { cityCommands } from "./city.ts";
import { claimCommands } from "./claims.ts";
import { clearingCommands } from "./clearings.ts";
import { debateCommands } from "./debates.ts";
import { economyCommands } from "./economy.ts";
import { eventCommands } from "./events.ts";
import { hearingCommands } from "./hearings.ts";
import { keyCommands } from "./keys.ts";
import { lawCommands } from "./law.ts";
import { memberCommands } from "./members.ts";
import { missionCommands } from "./missions.ts";
import { nodeWorkCommands } from "./node-work.ts";
import { panelCommands } from "./panel.ts";
import { passportCommands } from "./passports.ts";
import { pushCommands } from "./pushes.ts";
import { seatListCommands } from "./seat-list.ts";
import { seatCommands } from "./seats.ts";
import { sponsorCommands } from "./sponsors.ts";
import { verificationCommands } from "./verifications.ts";
import { vitalCommands } from "./vitals.ts";
import { webhookCommands } from "./webhooks.ts";
import { workCommands } from "./work.ts";

/** Every command of the gateway. HTTP, OpenAPI, the reference and MCP are generated from this list. */
export const COMMANDS: readonly Command[] = [
  ...cityCommands,
  ...missionCommands,
  ...vitalCommands,
  ...clearingCommands,
  ...nodeWorkCommands,
  ...bundleCommands,
  ...pushCommands,
  ...appealCommands,
  ...sponsorCommands,
  ...verificationCommands,
  ...agreementCommands,
  ...breakerCommands,
  ...hearingCommands,
  ...claimCommands,
  ...lawCommands,
  ...debateCommands,
  ...memberCommands,
  ...passportCommands,
  ...workCommands,
  ...seatListCommands,
  ...seatCommands,
  ...panelCommands,
  ...webhookCommands,
  ...eventCommands,
  ...economyCommands,
  ...keyCommands,
];
