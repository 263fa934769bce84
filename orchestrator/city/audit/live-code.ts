import type { Hash } from "../../primitives/hex.ts";
import { BUNDLE_FILES } from "../bundle-layout.ts";
import { serviceId } from "../services.ts";
import { attestedIn } from "./anchors.ts";
import type { AuditContext } from "./context.ts";
import type { Check } from "./inspection.ts";
import { isSignedBy } from "./signatures.ts";

/** A runner of another principal saw the bound service's registered code live before each start (decision 17). */
export const liveCode: Check = {
  name: "CODE",
  what: "the runner's signature on each executor's live code, and that it is the code that was bid",
  file: BUNDLE_FILES.chain,
  async run(context, seen) {
    const { history, roles, record, nameOf, label } = context;
    const attested = new Set<string>();
    for (const { at, order } of routeOrders(context)) {
      for (const [index, live] of order.hashes.entries()) {
        const { signature, ...message } = live;
        const executor = history.slot(live.node, live.attempt, live.slot);
        const subject = `live code of ${label(live.node)}, slot ${live.slot}${executor === undefined ? "" : ` (${nameOf(executor.agent)})`}`;
        seen.holds(await isSignedBy(context, live.runner, "LiveHash", message, signature), subject, "is not signed by its runner");
        const principal = roles.before(at).runners.get(live.runner);
        seen.holds(principal !== undefined, subject, "is attested by nobody registered as a runner");
        seen.holds(
          executor !== undefined && principal !== roles.principalOf(executor.agent),
          subject,
          "is attested by the executor's own principal",
        );
        seen.same(live.service, executor?.service, `${subject}: service`);
        const service = order.services[index];
        seen.same(service === undefined ? undefined : serviceId(service), executor?.service, `${subject}: service's record`);
        // A mismatch that a runner signed is lawful: it fails the node.
        const started = history.slot(live.node, live.attempt, live.slot)?.commitment !== undefined;
        if (started) seen.same(live.hash, service?.codeHash as Hash | undefined, `${subject}: code hash`);
        attested.add(`${live.node}/${live.attempt}/${live.slot}`);
      }
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

function routeOrders({ record }: AuditContext) {
  const routed = record.calls("CollaborationContract", "route").map(({ at, args }) => ({ at, orders: args[0] }));
  const advanced = record.calls("CollaborationContract", "advance").map(({ at, args }) => ({ at, orders: args[1] }));
  return [...routed, ...advanced].flatMap(({ at, orders }) => orders.map((order) => ({ at, order })));
}
