import { Button, Group, Text, Title } from "@mantine/core";
import { Link } from "react-router";
import { formatMoney } from "../../../orchestrator/primitives/amounts.ts";
import type { Act, Page, Panel } from "../city/answers.ts";
import { useAsked } from "../city/live.tsx";
import { Asked, Empty } from "../parts/asked.tsx";
import { Quoted } from "../parts/quoted.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import { eventMoment, isNone, moment, percent, short } from "../parts/words.ts";
import { NeededNow } from "./city.tsx";

/** The override panel: its queue, its seats, its acts with reasons. */
export function Component() {
  const panel = useAsked<Panel>("/v1/panel");
  const acts = useAsked<Page<Act>>("/v1/acts", { newest: true, limit: 50 });
  return (
    <>
      <Title order={1}>Override panel</Title>
      <Text>
        Adjudicators act by signature: each act is one typed message that their own wallet signs and a contract checks. This page and its
        sessions can sign nothing.
      </Text>
      <NeededNow />
      <section aria-labelledby="act">
        <Title order={2} id="act">
          Act
        </Title>
        <Group my="xs">
          {[
            ["FREEZE", "Freeze a node"],
            ["UNFREEZE", "Release a node"],
            ["EMERGENCY_STOP", "Stop a mission"],
            ["CLEAR_EMERGENCY_STOP", "Resume a stopped mission"],
            ["STOP_CITY", "Stop the city"],
            ["RESUME_CITY", "Resume the city"],
            ["TERMINATE_MISSION", "End a mission"],
            ["VETO_OUTPUT", "Veto an output"],
            ["FREEZE_AGENT", "Freeze an agent"],
            ["FREEZE_PRINCIPAL", "Freeze a principal"],
            ["ADJUST_REPUTATION", "Adjust a reputation"],
            ["CLASSIFY_FALSE_POSITIVE", "Call a freeze a false alarm"],
            ["RELEASE_WATCHDOG", "Release the panel"],
          ].map(([action, name]) => (
            <Button key={action} component={Link} to={`/panel/act?action=${action}`} variant="default" size="compact-sm">
              {name}
            </Button>
          ))}
          <Button component={Link} to="/rules" variant="default" size="compact-sm">
            Change a parameter
          </Button>
        </Group>
      </section>
      <section aria-labelledby="seats">
        <Title order={2} id="seats">
          Seats
        </Title>
        <Asked of={panel}>
          {({ seats, senior, hasQuorum, watchdog, asOf }) => (
            <>
              <Watchdog of={watchdog} />
              <div className="wide">
                <table>
                  <caption>
                    {hasQuorum ? "The panel has its quorum" : "The panel is below its quorum"}, at {moment(asOf)} of chain time. Counted
                    over {watchdog.limits.days} days
                  </caption>
                  <thead>
                    <tr>
                      {["Adjudicator", "Answers for it", "State", "Stake", "Decided", "Approved", "In a row", "Weakened rules"].map(
                        (head, column) => (
                          <th key={head} scope="col" className={column > 2 ? "amount" : undefined}>
                            {head}
                          </th>
                        ),
                      )}
                    </tr>
                  </thead>
                  <tbody>
                    {seats.map(({ adjudicator, principal, isActive, stake, isFlagged, decisions, approvals, inARow, weakenings }) => (
                      <tr key={adjudicator}>
                        <th scope="row" className="mono">
                          {adjudicator}
                        </th>
                        <td className="mono">{adjudicator === principal ? "itself" : short(principal)}</td>
                        <td>
                          {isActive ? "seated" : "not active"}
                          {adjudicator === senior && ", senior"}
                          {isFlagged && ", warned by the watchdog"}
                        </td>
                        <td className="amount">{formatMoney(BigInt(stake))}</td>
                        <td className="amount">{decisions}</td>
                        <td className="amount">{decisions === 0 ? "none" : percent(approvals / decisions)}</td>
                        <td className="amount">
                          {inARow} of {watchdog.limits.inARow}
                        </td>
                        <td className="amount">
                          {weakenings} of {watchdog.limits.weakenings}
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            </>
          )}
        </Asked>
      </section>
      <section aria-labelledby="acts">
        <Title order={2} id="acts">
          What the panel did
        </Title>
        <Asked of={acts}>
          {({ items }) =>
            items.length === 0 ? (
              <Empty>It has not acted yet.</Empty>
            ) : (
              <ol className="plain">
                {items.map((act) => {
                  const { digest, action, mission, node, adjudicators, because, timestamp, eventId } = act;
                  return (
                    <li key={digest} className="card" data-act={action}>
                      <span className="row">
                        <strong>{action}</strong>
                        <span className="muted">{eventMoment({ timestamp })}</span>
                      </span>
                      <span>
                        {!isNone(mission) && (
                          <>
                            <Link to={`/missions/${mission}`}>mission {short(mission)}</Link>, node {node},{" "}
                          </>
                        )}
                        by {adjudicators.map(short).join(" and ")} · <Link to={`/log?event=${eventId}`}>entry</Link>
                      </span>
                      {because !== null && <Quoted text={because} short={300} />}
                      <details>
                        <summary>The record of this act</summary>
                        <Record of={act} />
                      </details>
                    </li>
                  );
                })}
              </ol>
            )
          }
        </Asked>
      </section>
    </>
  );
}

const CALM = { word: "calm", look: "done", means: "" } as const;
const FROZEN = { word: "the panel is frozen", look: "frozen", means: "" } as const;
const STOPPED = { word: "the city is stopped", look: "failed", means: "" } as const;

/** The watchdog over the adjudicators, and the signatures that undo its freeze. */
function Watchdog({ of }: { readonly of: Panel["watchdog"] }) {
  const { isFrozen, isDegraded, isStopped, releaseQuorum, stopQuorum, resumeQuorum, limits } = of;
  return (
    <Text data-watchdog={isStopped ? "stopped" : isFrozen ? "frozen" : "calm"}>
      Watchdog: <StateMark state={isStopped ? STOPPED : isFrozen ? FROZEN : CALM} />{" "}
      {isFrozen
        ? `Of the panel's acts only release and impeachment are carried out; ${releaseQuorum} signatures release it${isDegraded ? ", fewer than at first because it took too long" : ""}.`
        : `It warns of more than ${limits.percent} % approvals, ${limits.inARow} approvals in a row, or ${limits.weakenings} changes that weaken a rule; two kinds of warnings freeze the panel.`}{" "}
      {isStopped ? `${resumeQuorum} signatures let the city continue.` : `${stopQuorum} would stop the city.`}
    </Text>
  );
}

/** Everything needed to verify an act on the chain without its adjudicator. */
function Record({ of: { adjudicators, target, justification, justificationCid, transaction, block, digest } }: { readonly of: Act }) {
  const rows: readonly (readonly [string, string])[] = [
    ["signed by", adjudicators.join(", ")],
    ["about", isNone(target) ? "" : target],
    ["hash of the reason", justification],
    ["the reason by its content", justificationCid],
    ["transaction", transaction ?? ""],
    ["block", String(block)],
    ["digest that was signed", digest],
  ];
  return (
    <table>
      <tbody>
        {rows
          .filter(([, value]) => value !== "")
          .map(([name, value]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td className="mono">{value}</td>
            </tr>
          ))}
      </tbody>
    </table>
  );
}
