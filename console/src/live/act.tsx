import { Alert, Button, NativeSelect, TextInput, Title } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { ACTION_DATA, type ActionName } from "../../../orchestrator/protocol/actions.ts";
import { Because } from "../parts/because.tsx";

/**
 * Subject of each act on an adjudicator's own initiative. Acts that rule on a case start at the case; those with documents in a terminal.
 */
const ABOUT: Readonly<Partial<Record<string, "node" | "mission" | "city" | "account">>> = {
  FREEZE: "node",
  UNFREEZE: "node",
  VETO_OUTPUT: "node",
  EMERGENCY_STOP: "mission",
  CLEAR_EMERGENCY_STOP: "mission",
  TERMINATE_MISSION: "mission",
  STOP_CITY: "city",
  RESUME_CITY: "city",
  RELEASE_WATCHDOG: "city",
  AUDIT_UNILATERAL: "city",
  FREEZE_AGENT: "account",
  FREEZE_PRINCIPAL: "account",
  ADJUST_REPUTATION: "account",
  CLASSIFY_FALSE_POSITIVE: "account",
  SLASH: "account",
  IMPEACH: "account",
};

/** Hints for values beyond their type. */
const HINTS: Readonly<Record<string, string>> = {
  "ADJUST_REPUTATION delta": "points, up or down",
  "CLASSIFY_FALSE_POSITIVE freeze": "which freeze, from 0",
  "SLASH amount": "smallest unit",
};

const isAction = (name: string): name is ActionName => name in ACTION_DATA;

/** The data of an action, from the contracts' own table. */
function valuesOf(action: string): readonly { readonly label: string; readonly isSwitch: boolean }[] {
  if (!isAction(action)) return [];
  return ACTION_DATA[action].map((each) => {
    const name = "name" in each ? each.name : "value";
    const isSwitch = each.type === "bool";
    return { label: `${name} (${HINTS[`${action} ${name}`] ?? (isSwitch ? "true or false" : each.type)})`, isSwitch };
  });
}

/** An act on an adjudicator's own initiative: action, subject, reason. */
export function Component() {
  const [query] = useSearchParams();
  const navigate = useNavigate();
  const [action, setAction] = useState(query.get("action") ?? "FREEZE");
  const [mission, setMission] = useState(query.get("mission") ?? "");
  const [node, setNode] = useState(query.get("node") ?? "0");
  const [target, setTarget] = useState(query.get("target") ?? "");
  const [values, setValues] = useState<readonly string[]>([]);
  const [because, setBecause] = useState(query.get("because") ?? "");
  const about = ABOUT[action] ?? "city";
  // The city reads the details of the node from the chain.
  const form = { about, values: about === "node" ? [] : valuesOf(action) };
  const takesMission = form.about === "node" || form.about === "mission" || action === "CLASSIFY_FALSE_POSITIVE";
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const asked = {
      action,
      ...(takesMission ? { mission, node: form.about === "node" ? Number(node) : 0 } : {}),
      ...(form.about === "account" ? { target } : {}),
      ...(form.values.length === 0
        ? {}
        : { values: form.values.map(({ isSwitch }, at) => (isSwitch ? values[at] === "true" : (values[at] ?? "0"))) }),
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
        data={Object.keys(ABOUT)}
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
      {form.values.map(({ label, isSwitch }, at) => {
        const value = values[at] ?? "";
        const set = (text: string) => setValues(form.values.map((_, each) => (each === at ? text : (values[each] ?? ""))));
        // Nothing is preselected, so that no act is offered without a choice.
        return isSwitch ? (
          <NativeSelect
            key={label}
            label={label}
            value={value}
            required
            onChange={({ currentTarget }) => set(currentTarget.value)}
            data={["", "true", "false"]}
          />
        ) : (
          <TextInput key={label} label={label} value={value} required onChange={({ currentTarget }) => set(currentTarget.value)} />
        );
      })}
      <Because text={because} onChange={setBecause} />
      <Alert variant="outline" my="sm">
        Nothing is signed yet: the next page shows the effect and the exact message.
      </Alert>
      <Button type="submit">See what would happen</Button>
    </form>
  );
}
