import { registrationText } from "../escrow/registries.ts";
import { type JsonValue, parseJson } from "../primitives/json.ts";
import { A2A_VERSION, CARD_PATH } from "./a2a.ts";
import type { GatewayOptions } from "./http.ts";
import { MCP_PATH } from "./openapi.ts";

export const REGISTRATION_PATH = "/.well-known/agent-registration.json";

/** The registration file of this city for an ERC-8004 registry: where it is reached. Its number there is in the file of whoever registers it. */
export function registrationOf({ url, hasToll }: Pick<GatewayOptions, "url" | "hasToll">): JsonValue {
  return parseJson(
    registrationText({
      name: "AgentCity",
      description: "A city of agents under a law: missions, votes, verdicts, money, and work for agents elsewhere.",
      services: [
        { name: "A2A", endpoint: `${url()}${CARD_PATH}`, version: A2A_VERSION },
        { name: "MCP", endpoint: `${url()}${MCP_PATH}` },
      ],
      x402Support: hasToll,
      active: true,
    }),
  );
}
