import { Alert, Button, Group, NativeSelect, Text, Textarea, TextInput, Title } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { Link, useNavigate, useSearchParams } from "react-router";
import { formatMoney } from "../../../orchestrator/primitives/amounts.ts";
import type { Act, Page, Panel } from "../city/answers.ts";
import { useAsked } from "../city/live.tsx";
import { Asked, Empty } from "../parts/asked.tsx";
import { Quoted } from "../parts/quoted.tsx";
import { moment, short } from "../parts/words.ts";
import { NeededNow } from "./city.tsx";

/** The override panel: what waits, who sits, what was done and why. */
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
            ["STOP_CITY", "Stop the city"],
            ["RESUME_CITY", "Resume the city"],
            ["TERMINATE_MISSION", "End a mission"],
            ["VETO_OUTPUT", "Veto an output"],
            ["FREEZE_AGENT", "Freeze an agent"],
            ["FREEZE_PRINCIPAL", "Freeze a principal"],
            ["ADJUST_REPUTATION", "Adjust a reputation"],
            ["CLASSIFY_FALSE_POSITIVE", "Call a freeze a false alarm"],
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
          {({ seats, senior, hasQuorum, asOf }) => (
            <div className="wide">
              <table>
                <caption>
                  {hasQuorum ? "The panel has its quorum" : "The panel is below its quorum"}, at {moment(asOf)} of chain time
                </caption>
                <thead>
                  <tr>
                    <th scope="col">Adjudicator</th>
                    <th scope="col">Answers for it</th>
                    <th scope="col">State</th>
                    <th scope="col" className="amount">
                      Stake
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {seats.map(({ adjudicator, principal, isActive, stake }) => (
                    <tr key={adjudicator}>
                      <th scope="row" className="mono">
                        {adjudicator}
                      </th>
                      <td className="mono">{adjudicator === principal ? "itself" : short(principal)}</td>
                      <td>
                        {isActive ? "seated" : "not active"}
                        {adjudicator === senior && ", senior"}
                      </td>
                      <td className="amount">{formatMoney(BigInt(stake))}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
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
                {items.map(({ digest, action, mission, node, adjudicators, because, timestamp, eventId }) => (
                  <li key={digest} className="card" data-act={action}>
                    <span className="row">
                      <strong>{action}</strong>
                      <span className="muted">{moment(timestamp / 1_000)}</span>
                    </span>
                    <span>
                      {!/^0x0+$/.test(mission) && (
                        <>
                          <Link to={`/missions/${mission}`}>mission {short(mission)}</Link>, node {node},{" "}
                        </>
                      )}
                      by {adjudicators.map(short).join(" and ")} · <Link to={`/log?event=${eventId}`}>entry</Link>
                    </span>
                    {because !== null && <Quoted text={because} short={300} />}
                  </li>
                ))}
              </ol>
            )
          }
        </Asked>
      </section>
    </>
  );
}

/** What each action is about, and the data that it takes; the rest is in the gateway's own table. */
const FORMS: Readonly<Record<string, { readonly about: "node" | "mission" | "city" | "account"; readonly values: readonly string[] }>> = {
  FREEZE: { about: "node", values: [] },
  UNFREEZE: { about: "node", values: [] },
  VETO_OUTPUT: { about: "node", values: [] },
  EMERGENCY_STOP: { about: "mission", values: [] },
  CLEAR_EMERGENCY_STOP: { about: "mission", values: [] },
  TERMINATE_MISSION: { about: "mission", values: [] },
  STOP_CITY: { about: "city", values: [] },
  RESUME_CITY: { about: "city", values: [] },
  FREEZE_AGENT: { about: "account", values: ["frozen (true or false)"] },
  FREEZE_PRINCIPAL: { about: "account", values: ["frozen (true or false)"] },
  ADJUST_REPUTATION: { about: "account", values: ["points, up or down"] },
  CLASSIFY_FALSE_POSITIVE: { about: "account", values: ["which freeze, from 0"] },
};

/** An act of one's own accord: what, on what, why. */
export function ActPage() {
  const [query] = useSearchParams();
  const navigate = useNavigate();
  const [action, setAction] = useState(query.get("action") ?? "FREEZE");
  const [mission, setMission] = useState(query.get("mission") ?? "");
  const [node, setNode] = useState(query.get("node") ?? "0");
  const [target, setTarget] = useState(query.get("target") ?? "");
  const [values, setValues] = useState<readonly string[]>([]);
  const [because, setBecause] = useState("");
  const form = FORMS[action] ?? { about: "city", values: [] };
  const takesMission = form.about === "node" || form.about === "mission" || action === "CLASSIFY_FALSE_POSITIVE";
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const asked = {
      action,
      ...(takesMission ? { mission, node: form.about === "node" ? Number(node) : 0 } : {}),
      ...(form.about === "account" ? { target } : {}),
      ...(form.values.length === 0
        ? {}
        : { values: form.values.map((name, at) => (name.startsWith("frozen") ? values[at] !== "false" : (values[at] ?? "0"))) }),
      because,
    };
    void navigate("/panel/order", { state: asked });
  };
  return (
    <form onSubmit={submit} className="narrow">
      <Title order={1}>Act as an adjudicator</Title>
      <NativeSelect
        label="What"
        value={action}
        onChange={({ currentTarget }) => setAction(currentTarget.value)}
        data={Object.keys(FORMS)}
      />
      {takesMission && (
        <TextInput
          label="Mission"
          value={mission}
          required
          pattern="0x[0-9a-fA-F]{40}"
          onChange={({ currentTarget }) => setMission(currentTarget.value)}
          className="mono"
        />
      )}
      {form.about === "node" && (
        <TextInput label="Node" value={node} required pattern="\d{1,3}" onChange={({ currentTarget }) => setNode(currentTarget.value)} />
      )}
      {form.about === "account" && (
        <TextInput
          label="Account"
          value={target}
          required
          pattern="0x[0-9a-fA-F]{40}"
          onChange={({ currentTarget }) => setTarget(currentTarget.value)}
          className="mono"
        />
      )}
      {form.values.map((name, at) => (
        <TextInput
          key={name}
          label={name}
          value={values[at] ?? ""}
          required
          onChange={({ currentTarget }) =>
            setValues(form.values.map((_, each) => (each === at ? currentTarget.value : (values[each] ?? ""))))
          }
        />
      ))}
      <Textarea
        label="Why: it is recorded with your signature, for everybody to read"
        required
        autosize={false}
        rows={3}
        maxLength={4_000}
        value={because}
        onChange={({ currentTarget }) => setBecause(currentTarget.value)}
      />
      <Alert variant="outline" my="sm">
        Nothing is signed yet: the next page shows what would happen, and the exact message.
      </Alert>
      <Button type="submit">See what would happen</Button>
    </form>
  );
}
