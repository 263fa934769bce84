import { expect } from "chai";
import { isStop } from "../../orchestrator/gateway/orders.ts";
import { ACTION_NAMES, type ActionName, actionNumber, encodeActionData } from "../../orchestrator/protocol/actions.ts";

/** Decision 101: what may be signed while evidence is withheld. */
describe("orders that stop", () => {
  const stops = (name: ActionName, ...values: readonly unknown[]) =>
    isStop({ action: actionNumber(name), data: encodeActionData(name, values as never) });

  it("are those that only stop, and no act that releases, approves, pays or lifts", () => {
    expect(stops("FREEZE", 0) && stops("VETO_OUTPUT", 1) && stops("EMERGENCY_STOP") && stops("STOP_CITY")).to.equal(true);
    for (const name of ["FREEZE_AGENT", "FREEZE_PRINCIPAL"] as const) {
      expect(stops(name, true), name).to.equal(true);
      expect(stops(name, false), `${name} lifted`).to.equal(false);
    }
    const others = ACTION_NAMES.filter((name) => !/^(FREEZE|VETO|EMERGENCY|STOP)/.test(name));
    for (const name of others) expect(isStop({ action: actionNumber(name), data: "0x" }), name).to.equal(false);
    expect(isStop({ action: 99, data: "0x" })).to.equal(false);
  });
});
