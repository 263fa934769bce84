import { serviceIdOf } from "../../rules/admissions.ts";
import { BUNDLE_FILES } from "../bundle/bundle-layout.ts";
import { attestedIn } from "./anchors.ts";
import type { ChainContext } from "./context.ts";
import type { ChainCheck } from "./inspection.ts";
import { isSignedBy } from "./signatures.ts";

/** A runner of another principal saw the bound service's registered code live before each start (decision 17). */
export const liveCode: ChainCheck = {
  name: "CODE",
  what: "the runner's signature on each executor's live code, and that it is the code that was bid",
  file: BUNDLE_FILES.chain,
  async run(context, seen) {
    const { history, roles, record, nameOf, label } = context;
    const attested = new Set<string>();
    for (const { at, slots, runner, deadline, signature } of starts(context)) {
      const places = slots.map(placeOf);
      const subject = `start of ${places.map(({ node, slot }) => `${label(node)}, slot ${slot}`).join("; ")}`;
      const message = { runner, slots, deadline };
      seen.holds(await isSignedBy(context, runner, "Start", message, signature), subject, "is not signed by its runner");
      const principal = roles.before(at).runners.get(runner);
      seen.holds(principal !== undefined, subject, "is attested by nobody registered as a runner");
      for (const { node, attempt, slot } of places) {
        const executor = history.slot(node, attempt, slot);
        seen.holds(
          executor !== undefined && principal !== roles.principalOf(executor.agent),
          `live code of ${label(node)}, slot ${slot}`,
          "is attested by the executor's own principal",
        );
        attested.add(`${node}/${attempt}/${slot}`);
      }
    }
    // A mismatch that a runner signed is lawful: it fails the node.
    for (const { at, args } of record.calls("CollaborationContract", "mismatch")) {
      const [{ signature, ...message }, service] = args;
      const executor = history.slot(message.node, message.attempt, message.slot);
      const subject = `other code of ${label(message.node)}, slot ${message.slot}`;
      seen.holds(await isSignedBy(context, message.runner, "LiveHash", message, signature), subject, "is not signed by its runner");
      const principal = roles.before(at).runners.get(message.runner);
      seen.holds(principal !== undefined, subject, "is attested by nobody registered as a runner");
      seen.holds(
        executor !== undefined && principal !== roles.principalOf(executor.agent),
        subject,
        "is attested by the executor's own principal",
      );
      seen.same([message.service, serviceIdOf(service)], [executor?.service, executor?.service], `${subject}: service`);
      seen.holds(message.hash !== service.codeHash, subject, "is the code that was registered");
    }
    const services = record.events("ServiceContract", "ServiceRegistered");
    for (const { at, by, live } of attestedIn(context)) {
      const { signature, ...message } = live;
      const executor = history.slot(live.node, live.attempt, live.slot);
      const subject = `live code of ${label(live.node)}, slot ${live.slot}, before its checkpoint`;
      seen.same(live.runner, by, `${subject}: runner`);
      seen.holds(await isSignedBy(context, live.runner, "LiveHash", message, signature), subject, "is not signed by its runner");
      seen.holds(roles.before(at).runners.has(live.runner), subject, "is attested by nobody registered as a runner");
      seen.same(live.service, executor?.service, `${subject}: service`);
      const registered = services.find(({ args }) => args.service === live.service)?.args.codeHash;
      seen.same(live.hash, registered, `${subject}: code hash`);
      attested.add(`${live.node}/${live.attempt}/${live.slot}`);
    }
    for (const { node, attempt, slot, commitment, agent } of history.slots) {
      if (commitment !== undefined)
        seen.holds(attested.has(`${node}/${attempt}/${slot}`), `${label(node)}, ${nameOf(agent)}`, "worked without attested code");
    }
  },
};

/** What runners vouched for, start by start. */
function starts({ record }: ChainContext) {
  const routed = record.calls("CollaborationContract", "route").map(({ at, args }) => ({ at, ...args[1] }));
  const advanced = record.calls("CollaborationContract", "advance").map(({ at, args }) => ({ at, ...args[2] }));
  return [...routed, ...advanced].filter(({ slots }) => slots.length > 0);
}

function placeOf(key: bigint) {
  return { node: Number(key >> 16n), attempt: Number((key >> 8n) & 0xffn), slot: Number(key & 0xffn) };
}
