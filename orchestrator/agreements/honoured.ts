import { AgreementRefused } from "./errors.ts";
import { FORMAT_NAMES, isFormatName } from "./formats.ts";
import { isEscrowed } from "./lifecycle.ts";
import { isDollar } from "./money.ts";
import { groundProblem } from "./release.ts";
import { type Agreement, DEFAULTS, isDrawn } from "./schema.ts";

/** What an arbiter has in any case: the signed acts. */
const EVIDENCE: readonly string[] = ["agreement", "deliverable_hash", "verification_result"];

/** Ways of payment that work here: by an escrow, by the client or its payer afterwards, by hand. Nothing serves the paper's `city`. */
const PAID_BY: readonly string[] = ["erc8183", "x402", "http_callback", "manual"];

/** What a client's payer needs: where it is, who instructs it, and whom it pays. */
const PAYER = ["url", "operator", "payee"] as const;

/** Evaluators that an escrow waits for: the first and its backup. */
const ESCROW_EVALUATORS = 2;

/** A term that nobody here acts on, and what to write instead; undefined if the terms do not have it. */
const UNHONOURED: Readonly<Record<string, (agreement: Agreement) => string | undefined>> = {
  "parties.evaluator.type": ({ parties, verification }) =>
    parties.evaluator.type === "panel" && verification.consensus === undefined
      ? "a panel needs verification.consensus, which says how many judge"
      : undefined,
  "parties.evaluator.config.model_family": ({ parties: { client, provider, evaluator } }) => {
    const family = evaluator.config?.model_family;
    return family !== undefined && [client, provider].some(({ model_family }) => model_family === family)
      ? `${family} is a party's own family, so nobody of it may judge`
      : undefined;
  },
  "parties.evaluator.selection": (agreement) =>
    agreement.parties.evaluator.selection && !isDrawn(agreement) ? "without a register nobody is selected: add one" : undefined,
  "service.deliverable_format": ({ service, verification: { depth = "structural" } }) =>
    depth === "structural" && service.deliverable_schema === undefined && !isFormatName(service.deliverable_format)
      ? `nothing here can parse it, and at the depth structural nobody else looks: write ${FORMAT_NAMES.join(", ")}, or another depth`
      : undefined,
  "service.resources": ({ service }) =>
    service.resources && "nobody sees what a provider uses: limit what can be measured, under service.constraints",
  "service.constraints.max_cost_usd": ({ service, escrow }) => {
    const isPriced = escrow?.enabled === true && isDollar(escrow.payment.currency);
    return service.constraints?.max_cost_usd === undefined || isPriced
      ? undefined
      : "it limits a price in dollars, and this agreement has none: leave it out";
  },
  "quality_criteria.gate_logic": ({ quality_criteria }) => other(quality_criteria.gate_logic, ["all_must_pass"]),
  "quality_criteria.guarantee": ({ quality_criteria: { guarantee, guarantee_type } }) =>
    guarantee && guarantee_type === "deterministic" ? "a deterministic agreement has none: write probabilistic" : undefined,
  "quality_criteria.dimensions.shadow_slo": ({ quality_criteria: { dimensions } }) =>
    dimensions.some((each) => each.shadow_slo && each.shadow_metric === undefined) ? "name the shadow_metric that it is about" : undefined,
  "verification.rotation": (agreement) =>
    agreement.verification.rotation && !isDrawn(agreement) ? "nobody replaces an evaluator that is named: add a register" : undefined,
  "verification.canary_tasks.frequency": ({ verification: { canary_tasks: canaries } }) =>
    other(canaries?.frequency, ["1_per_5_deliveries"]),
  "verification.canary_tasks.failure_action": ({ verification: { canary_tasks: canaries } }) =>
    other(canaries?.failure_action, ["flag_and_continue"]),
  "verification.consensus.method": ({ verification }) => other(verification.consensus?.method, ["median"]),
  "escrow.binding.type": ({ escrow }) =>
    escrow?.enabled === true && !PAID_BY.includes(escrow.binding.type)
      ? `nobody here pays by ${escrow.binding.type}: write ${PAID_BY.join(", ")}`
      : undefined,
  "escrow.binding.url": ({ escrow }) =>
    escrow?.enabled === true && escrow.binding.type === "http_callback" && PAYER.some((name) => typeof escrow.binding[name] !== "string")
      ? "there is no payer to instruct: name the payer's url, the operator whose instructions it follows, and the payee"
      : undefined,
  "escrow.payment.graduated_release.dynamic": groundProblem,
  "escrow.payment.graduated_release.tiers": (agreement) => (continuous(agreement)?.tiers ? TIERED : undefined),
  "escrow.payment.graduated_release.noise": (agreement) => (continuous(agreement)?.noise ? TIERED : undefined),
  "escrow.dead_mans_switch.evaluator_timeout_seconds": (agreement) => {
    const hold = agreement.escrow?.dead_mans_switch?.evaluator_timeout_seconds;
    const least = ESCROW_EVALUATORS * (agreement.verification.evaluator_timeout_seconds ?? DEFAULTS.evaluatorSeconds);
    return hold !== undefined && isEscrowed(agreement) && hold < least
      ? `an escrow waits for an evaluator and its backup, ${least} seconds: write at least that`
      : undefined;
  },
  "dispute.protocol": (agreement) => other(agreement.dispute?.protocol, [isEscrowed(agreement) ? "arbiter" : "none"]),
  "dispute.auto_file_on": (agreement) => {
    const { dispute, verification } = agreement;
    if (dispute?.auto_file_on === undefined) return undefined;
    if (isEscrowed(agreement)) return "an escrow files nothing by itself: leave it out and challenge";
    if (verification.strategy === "immediate") return "without a challenge window nothing is disputed: write optimistic";
    return dispute.threshold === undefined ? "it needs a threshold" : other(dispute.auto_file_on, ["verification_failure_below_threshold"]);
  },
  "dispute.threshold": ({ dispute }) =>
    dispute?.threshold !== undefined && dispute.auto_file_on === undefined ? "it needs auto_file_on" : undefined,
  "dispute.evidence_includes": ({ dispute }) =>
    dispute?.evidence_includes?.map((each) => other(each, EVIDENCE)).find((problem) => problem !== undefined),
};

const TIERED = "with the mode continuous the payment follows the score, without tiers";

/** The release, if it is in proportion to the score. */
function continuous({ escrow }: Agreement) {
  const release = escrow?.payment.graduated_release;
  return release?.enabled === true && release.mode === "continuous" ? release : undefined;
}

function other(word: string | undefined, known: readonly string[]): string | undefined {
  return word === undefined || known.includes(word) ? undefined : `${word} is unknown; known: ${known.join(", ")}`;
}

/**
 * Refuses to offer terms that both parties would sign and nobody would enforce. Such a document can still be read: another system may honour
 * it. Throws NotHonoured.
 */
export function requireHonoured(agreement: Agreement): void {
  for (const [term, problemOf] of Object.entries(UNHONOURED)) {
    const problem = problemOf(agreement);
    if (problem !== undefined) throw new AgreementRefused("NotHonoured", `Nobody here would enforce ${term}`, problem);
  }
}
