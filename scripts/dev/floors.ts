/**
 * The floors of the house, lowest first. An import goes to a strictly lower floor or stays in its own folder; so folders of one
 * floor do not know each other, and the separation of powers is a module boundary. Read by the linter and by its tests.
 */
export const FLOORS: readonly (readonly string[])[] = [
  ["orchestrator/primitives", "orchestrator/protocol", "orchestrator/rules"],
  ["orchestrator/chain", "orchestrator/records", "orchestrator/attestation", "deploy"],
  ["orchestrator/client", "orchestrator/clearing"],
  ["orchestrator/minds", "orchestrator/clerks", "orchestrator/agreements", "services"],
  ["orchestrator/legislature", "orchestrator/execution", "orchestrator/adjudication", "orchestrator/escrow"],
  ["orchestrator/hub", "orchestrator/seats"],
  ["orchestrator/city"],
  ["orchestrator/gateway", "orchestrator/agent", "orchestrator/economy"],
  ["console"],
  ["orchestrator/cli"],
  ["scripts"],
];

/** Errors, hashing, canonical JSON: what every folder stands on, its neighbours on floor 0 included. */
const GROUND = "orchestrator/primitives";

/** Folders that serve as libraries alone: clock, fetcher, escrow and store are arguments, a chain is never known. */
const CHAINLESS = ["orchestrator/attestation", "orchestrator/clearing", "orchestrator/agreements"];

/** The floors of the law, lowest first, below `contracts/`. */
export const CONTRACT_FLOORS: readonly string[] = [
  "types",
  "libraries",
  "interfaces",
  "foundational",
  "meta",
  "collaboration",
  "interop",
  "agreements",
];

interface ForbiddenImport {
  name: string;
  comment: string;
  severity: "error";
  from: { path: string };
  to: { path: string };
}

const inside = (folders: readonly string[]) => `^(${folders.join("|")})/`;

/** The floors as rules of dependency-cruiser: one per folder, naming every folder it may not import from. */
export function floorRules(floors: readonly (readonly string[])[] = FLOORS): ForbiddenImport[] {
  const rules: ForbiddenImport[] = floors.flatMap((folders, floor) =>
    folders.map((folder) => ({
      name: `floor-${floor}-${folder.replaceAll("/", "-")}`,
      comment: `${folder} is on floor ${floor}: it imports from lower floors and from itself`,
      severity: "error",
      from: { path: inside([folder]) },
      to: {
        path: inside(
          floors
            .slice(floor)
            .flat()
            .filter((other) => other !== folder && other !== GROUND),
        ),
      },
    })),
  );
  rules.push({
    name: "chainless",
    comment: "attestation, clearing and agreements know nothing of chains",
    severity: "error",
    from: { path: inside(CHAINLESS) },
    to: { path: inside(["orchestrator/chain", "orchestrator/client", "deploy"]) },
  });
  return rules;
}
