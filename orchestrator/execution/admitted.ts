import type { MissionNode } from "../protocol/mission-document.ts";
import type { RegisteredService } from "./world.ts";

/** Services whose code and schemas a node's law admits, in the law's order: a matching name alone is not enough (decision 93). */
export function admittedAmong<Service extends Pick<RegisteredService, "record">>(
  { admits }: Pick<MissionNode, "admits">,
  services: readonly Service[],
): readonly Service[] {
  const found = admits.flatMap(({ code, schema }) =>
    services.filter(({ record }) => (code === undefined || record.codeHash === code) && record.schemaHash === schema),
  );
  return [...new Set(found)];
}
