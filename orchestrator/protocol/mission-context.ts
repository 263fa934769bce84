import { AgentCityError } from "../primitives/errors.ts";
import { EXPOSURE_INPUTS } from "./exposure.ts";
import { ASKED_KINDS } from "./verifier-kinds.ts";

/** Name of the published JSON-LD context of mission specifications. New terms may be added; a changed meaning would need a new name. */
export const MISSION_CONTEXT = "https://agentcity.dev/contexts/mission-specification/v1";

/** Namespace of the terms. */
const NS = "https://agentcity.dev/ns/mission/v1#";
const WHOLE = "http://www.w3.org/2001/XMLSchema#nonNegativeInteger";
const SHARE = "http://www.w3.org/2001/XMLSchema#double";

const term = (id: string) => ({ "@id": `${NS}${id}` });
const typed = (id: string, type: string) => ({ "@id": `${NS}${id}`, "@type": type });
const whole = (id: string) => typed(id, WHOLE);
const list = (id: string, type: string) => ({ ...typed(id, type), "@container": "@list" });
/** A property whose values are names with meanings of their own. */
const oneOf = (id: string, kind: string, values: readonly string[], container?: "@set" | "@list") => ({
  ...typed(id, "@vocab"),
  ...(container === undefined ? {} : { "@container": container }),
  "@context": Object.fromEntries(values.map((value) => [value, `${NS}${kind}/${value}`])),
});

const RISKS = ["LOW", "MEDIUM", "HIGH"] as const;
const BANDS = ["LOW", "MODERATE", "ELEVATED", "CRITICAL"] as const;
const CLASSES = ["SELF", "SIGN", "WIT", "REC", "ATT", "PROOF"] as const;

/**
 * The meaning of every term of a mission specification (AgentCity B.10). Published in `docs/contexts/`, so that a JSON-LD processor needs
 * no network. There is no default vocabulary: an unknown key has no meaning, and expansion reports it.
 */
export const missionContext = {
  "@context": {
    "@version": 1.1,
    MissionSpecification: `${NS}MissionSpecification`,
    name: "https://schema.org/name",
    title: "https://schema.org/alternateName",
    goal: term("goal"),
    plan: term("plan"),
    risk: oneOf("risk", "risk", RISKS),
    exposure: { ...term("exposure"), "@context": Object.fromEntries(EXPOSURE_INPUTS.map((input) => [input, typed(input, SHARE)])) },
    budget: whole("budget"),
    duration: whole("durationSeconds"),
    input: {
      ...term("input"),
      "@context": {
        kind: oneOf("inputKind", "inputKind", ["packages", "files", "urls", "csv"]),
        count: whole("itemCount"),
        digest: typed("itemsDigest", `${NS}sha256`),
        columns: { ...term("column"), "@container": "@list" },
      },
    },
    parent: {
      ...term("parentNode"),
      "@context": { mission: typed("missionAddress", `${NS}address`), node: whole("nodeNumber"), attempt: whole("attempt") },
    },
    nodes: {
      ...term("nodes"),
      "@container": "@list",
      "@context": {
        number: whole("nodeNumber"),
        label: "http://www.w3.org/2000/01/rdf-schema#label",
        shard: { ...term("shard"), "@context": { from: whole("firstItem"), to: whole("endItem") } },
        services: { ...term("service"), "@container": "@set" },
        admits: {
          ...term("admittedService"),
          "@container": "@list",
          "@context": { code: typed("codeHash", `${NS}keccak256`), schema: typed("schemaHash", `${NS}keccak256`) },
        },
        options: typed("serviceOptions", "@json"),
        mission: { ...term("childMission"), "@context": { plan: term("plan") } },
        after: { ...term("afterNode"), "@container": "@set" },
        tier: whole("proofTier"),
        redundancy: whole("redundancy"),
        threshold: whole("consensusThreshold"),
        agree: {
          ...term("agreement"),
          "@context": {
            on: term("agreementField"),
            as: term("agreementForm"),
            atLeastBps: whole("agreementBps"),
            tolerance: whole("agreementTolerance"),
          },
        },
        rubric: term("reviewRubric"),
        verifiers: oneOf("verifierKind", "verifierKind", ASKED_KINDS, "@set"),
        floor: oneOf("evidenceFloor", "evidenceClass", CLASSES),
        questions: oneOf("question", "question", ["PERFORMANCE", "POLICY"], "@set"),
        band: oneOf("exposureBand", "band", BANDS),
        panelSize: whole("panelSize"),
        timeout: whole("timeoutSeconds"),
        reviewWindow: whole("reviewWindowSeconds"),
        predicate: whole("gatePredicate"),
        capabilities: list("requiredCapabilities", WHOLE),
      },
    },
    task: term("task"),
    output: { ...term("output"), "@context": { format: term("outputFormat") } },
    predicates: { ...term("outputRule"), "@container": "@set" },
    maxBytes: whole("maxBytes"),
    outputPredicate: whole("outputGatePredicate"),
    anchorInterval: whole("anchorIntervalSeconds"),
    visibility: oneOf("visibility", "visibility", ["parties"]),
  },
} as const;

/** A context that this project does not publish. */
export class ContextUnknown extends AgentCityError {
  constructor(url: string) {
    super("ContextUnknown", `No JSON-LD context is published under ${url}`, {
      action: `a mission specification names ${MISSION_CONTEXT}; nothing is fetched`,
    });
  }
}

/** A document loader for JSON-LD processors: published contexts from memory, never from the network. */
export async function loadContext(url: string): Promise<{ contextUrl: undefined; documentUrl: string; document: typeof missionContext }> {
  if (url !== MISSION_CONTEXT) throw new ContextUnknown(url);
  return { contextUrl: undefined, documentUrl: url, document: missionContext };
}
