import { zeroAddress } from "viem";
import { contractAbis } from "../../client/contracts.ts";
import { missionStates, nodeStates } from "../../execution/chain-view.ts";
import { formatMoney } from "../../primitives/amounts.ts";
import { contentIdFromDigest } from "../../primitives/hash.ts";
import { functionNames } from "../../primitives/selectors.ts";
import { type ActionName, actionName, decodeActionData, evidenceRoles, institutionNames } from "../../protocol/actions.ts";
import { OFFICE_NAMES } from "../../protocol/offices.ts";
import { CODIFIER_OPERATIONS, operationId } from "../../protocol/operations.ts";
import { PARAMETERS } from "../../protocol/parameters.ts";
import type { SignedOverride } from "../../protocol/signed-override.ts";
import { chainTime, insuranceCap, purposeOf, type Reader, spendingCap } from "./order-caps.ts";

type Order = SignedOverride["message"];

/** Describes an order for people: its kind, its effect, missing signatures, and every signed field. */
export async function describeOrder(reader: Reader, { message, signatures, chainId, adjudication }: SignedOverride): Promise<string> {
  const name = actionName(message.action);
  if (name === undefined) return `action ${message.action} is unknown to this version`;
  const needed = await reader.client.adjudication.signaturesFor(message);
  const left = BigInt(message.deadline) - (await chainTime(reader));
  return [
    name,
    `  would      ${await effectOf(reader, name, message)}`,
    `  because    ${message.because}`,
    `  signed by  ${signatures.map(({ adjudicator }) => adjudicator).join(", ") || "no one yet"} (${signatures.length} of ${needed})`,
    `  holds      ${left > 0n ? `${left} s more` : "no longer"}, in ${adjudication} on chain ${chainId}`,
    "  fields",
    ...Object.entries(message).map(([field, value]) => `    ${field.padEnd(14)} ${short(String(value))}`),
  ].join("\n");
}

/** Abbreviates long evidence; a dry run shows every signed byte. */
function short(value: string): string {
  return value.length <= LONGEST ? value : `${value.slice(0, LONGEST)}… (${(value.length - 2) / 2} bytes)`;
}
const LONGEST = 80;

/** One sentence on an order's effect in the current state. */
export async function effectOf(reader: Reader, name: ActionName, order: Order): Promise<string> {
  const { client } = reader;
  const { mission, node, target, data } = order;
  const where = `node ${node} of ${mission}`;
  const stateOf = async () => nodeStates[(await client.mission(mission).nodeOf(node)).state] ?? "in an unknown state";
  const missionState = async () => missionStates[await client.mission(mission).state()] ?? "in an unknown state";
  switch (name) {
    case "FREEZE":
      return `stop ${where}, now ${await stateOf()}, and its clock`;
    case "UNFREEZE":
      return `release ${where}, now ${await stateOf()}: its executors continue, with a new deadline`;
    case "RESUME_WITH_AMENDMENT": {
      const [amendment] = decodeActionData(name, data);
      return `have ${where}, now ${await stateOf()}, redone by the same executors under mandate ${contentIdFromDigest(amendment)}; each loses 20 points`;
    }
    case "TERMINATE_MISSION":
      return `end ${mission}, now ${await missionState()}: recorded work is paid after its windows, the rest is refunded to the sponsor; no one is slashed`;
    case "FAULT_SLOTS": {
      const [attempt, slots] = decodeActionData(name, data);
      const who = await Promise.all(
        [0, 1, 2, 3, 4].filter((slot) => (slots >> slot) & 1).map(async (slot) => (await client.mission(mission).slotOf(node, slot)).agent),
      );
      const loss = "each loses its stake locked there and 500 points, unless an appeal is upheld";
      return `find ${who.join(", ")} at fault on attempt ${attempt + 1} of ${where} for the end of the mission: ${loss}`;
    }
    case "APPROVE_POP": {
      const [, share, , items] = decodeActionData(name, data);
      return `complete ${where}, now ${await stateOf()}, with ${share / 100} % of its price, on proven items of evidence: ${items.length}`;
    }
    case "REJECT_POP":
      return `fail ${where}, now ${await stateOf()}: its executors score 0, and lose stake if it is frozen`;
    case "VETO_OUTPUT":
      return `hold the output of ${where}, now ${await stateOf()}, until a human releases it`;
    case "RELEASE_OUTPUT":
      return `release the vetoed output of ${where}, now ${await stateOf()}`;
    case "EMERGENCY_STOP":
      return `stop ${mission}, now ${await missionState()}: nothing is routed until two adjudicators clear it`;
    case "CLEAR_EMERGENCY_STOP":
      return `resume ${mission}, now ${await missionState()}`;
    case "CLASSIFY_FALSE_POSITIVE":
      return `call freeze ${decodeActionData(name, data)[0]} of ${mission} a false alarm of ${target}`;
    case "RESOLVE_APPEAL": {
      const [{ attempt, upheld, share, slash }] = decodeActionData(name, data);
      const ruling = upheld === 0 ? "reject every appeal" : `uphold appeals ${upheld.toString(2)} with ${share / 100} % of the price`;
      return `${ruling} on attempt ${attempt + 1} of ${where}, slashing ${formatMoney(slash)}`;
    }
    case "RULE_ON_BLOC": {
      const [session, release] = decodeActionData(name, data);
      return release ? `let the vote of session ${session} stand` : `void the vote of session ${session}`;
    }
    case "APPROVE_CODIFICATION":
      return `let the HIGH-risk law of session ${decodeActionData(name, data)[0]} be deployed`;
    case "APPROVE_PREDICATE":
      return `let laws name ${target} as gate ${decodeActionData(name, data)[0]}`;
    case "CLAIM_INSURANCE": {
      const [of, loss] = decodeActionData(name, data);
      return `compensate ${target} for ${formatMoney(loss)} lost in ${of}; ${(await insuranceCap(reader, of)).because}`;
    }
    case "DISBURSE": {
      const [purpose, amount] = decodeActionData(name, data);
      const { because } = await spendingCap(reader, purposeOf(purpose));
      return `pay ${target} ${formatMoney(amount)} from the treasury, for ${purposeOf(purpose)}; ${because}`;
    }
    case "AMEND_PARAMETER": {
      const [index, value] = decodeActionData(name, data);
      const parameter = PARAMETERS[index];
      if (parameter === undefined) return `change parameter ${index}, which this version does not know`;
      return `change ${parameter.name} from ${await client.constitution.param(index)} to ${value} ${parameter.unit}`;
    }
    case "ADJUST_REPUTATION":
      return `change the reputation of ${target}, now ${await client.agents.reputationOf(target)}, by ${decodeActionData(name, data)[0]}`;
    case "SLASH": {
      const [amount, ban] = decodeActionData(name, data);
      const { held } = await client.agents.stakeOf(target);
      return `take ${formatMoney(amount)} of the stake of ${target}, now ${formatMoney(held)}${ban ? ", and ban it permanently" : ""}`;
    }
    case "FREEZE_PRINCIPAL":
      return decodeActionData(name, data)[0]
        ? `freeze everything that ${target} answers for, now and later: no vote, no bid, no verdict`
        : `lift the freeze of everything that ${target} answers for`;
    case "FREEZE_AGENT":
      return decodeActionData(name, data)[0]
        ? `keep ${target} from new work for two review times: it cannot bid, be awarded or be routed; work in progress continues, and it keeps its vote`
        : `let ${target} bid, be awarded and be routed again`;
    case "APPOINT_CLERK": {
      const [office, principal] = decodeActionData(name, data);
      const called = OFFICE_NAMES[office];
      return principal === zeroAddress ? `take the office of ${called} from ${target}` : `make ${target} of ${principal} ${called}`;
    }
    case "SET_ENVELOPE": {
      const [office, most, permitted] = decodeActionData(name, data);
      const names = functionNames(Object.entries(contractAbis));
      const named = permitted.map((selector) => names.get(selector) ?? selector).join(", ") || "nothing";
      return `let the ${OFFICE_NAMES[office]} call ${named}, ${most} times each in a session, and nothing else`;
    }
    case "PUBLISH_TEMPLATE": {
      const [template, audit] = decodeActionData(name, data);
      const version = (await client.templates.latestVersion(template)) + 1;
      return `publish ${target} as version ${version} of template ${template}, whose audit is ${audit}: sessions that open after its notice clone it`;
    }
    case "REGISTER_ISSUER": {
      const [role, principal, value] = decodeActionData(name, data);
      if (role === 0) return `take every role in evidence from ${target}`;
      return `make ${target} of ${principal} a ${evidenceRoles[role]} (${value})`;
    }
    case "ADMIT_ADJUDICATOR":
      return `seat ${target} of ${decodeActionData(name, data)[0]}: ${await client.roster.activeCount()} are seated now`;
    case "IMPEACH":
      return `take seat and stake of adjudicator ${target} and ban it permanently`;
    case "AMEND_CONSTITUTION": {
      const called = institutionNames[decodeActionData(name, data)[0]];
      return target === zeroAddress
        ? `take back the announced ${called}`
        : `announce ${target} as ${called}; anyone may enact it after the timelock`;
    }
    case "RELEASE_WATCHDOG":
      return "end the watchdog's freeze: the panel acts again, missions start and are routed";
    case "SET_MANDATE": {
      const [office, operation, service] = decodeActionData(name, data);
      const named = CODIFIER_OPERATIONS.find((known) => operationId(known) === operation) ?? operation;
      const [registered] = await client.services.history("ServiceRegistered", { service });
      const code = registered === undefined ? "which is not registered" : `of ${registered.args.owner}, code ${registered.args.codeHash}`;
      return `have the ${OFFICE_NAMES[office]} get "${named}" done by service ${service}, ${code}; open sessions may finish with the former`;
    }
    case "STOP_CITY": {
      const goesOn = "routed work, verdicts, appeals and payments continue";
      return (await client.watchdog.isStopped())
        ? `prolong the city's stop from now on; ${goesOn}`
        : `stop the city: no session opens, no mission starts, nothing is routed; ${goesOn}`;
    }
    case "RESUME_CITY":
      return "end the city's stop: sessions open, missions start and are routed again";
    case "AUDIT_UNILATERAL":
      return `close the audit of what ${target} did alone`;
  }
}
