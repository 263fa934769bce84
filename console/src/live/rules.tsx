import { Button, Text, TextInput, Title } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { Link, useNavigate, useSearchParams } from "react-router";
import { grouped } from "../../../orchestrator/primitives/amounts.ts";
import type { Parameter, ParameterHistory } from "../city/answers.ts";
import { useAsked } from "../city/live.tsx";
import { Asked, Empty } from "../parts/asked.tsx";
import { Because } from "../parts/because.tsx";
import { Quoted } from "../parts/quoted.tsx";
import { SidePanel } from "../parts/side-panel.tsx";
import { eventMoment, short } from "../parts/words.ts";

const WEAKER: Readonly<Record<string, string>> = {
  UP: "a higher value protects less",
  DOWN: "a lower value protects less",
  NONE: "both directions protect equally",
};

/** Below HIGH risk. */
const CHANGED_BY: Readonly<Record<string, string>> = {
  UP: "one adjudicator, for a higher value two,",
  DOWN: "one adjudicator, for a lower value two,",
  NONE: "one adjudicator",
};

/** The constitution's parameters: value in force, range, purpose, history, and how to change one. */
export function Component() {
  const parameters = useAsked<{ readonly parameters: readonly Parameter[] }>("/v1/parameters");
  const [query, setQuery] = useSearchParams();
  const [sought, setSought] = useState("");
  const named = query.get("parameter");
  return (
    <>
      <Title order={1}>Rules</Title>
      <Text>Every number of the constitution. Missions keep the locked ones as they were when their session opened.</Text>
      <TextInput my="sm" label="Find" value={sought} onChange={({ currentTarget }) => setSought(currentTarget.value)} className="narrow" />
      <Asked of={parameters}>
        {({ parameters: all }) => {
          const chosen = all.find(({ name }) => name === named);
          const shown = all.filter(({ name, protects }) => {
            const word = sought.trim().toLowerCase();
            return name.toLowerCase().includes(word.replaceAll(" ", "_")) || protects.includes(word);
          });
          return (
            <div className="split" data-open={chosen !== undefined}>
              <div className="wide">
                <table>
                  <caption>
                    {shown.length} of {all.length} parameters
                  </caption>
                  <thead>
                    <tr>
                      {["Parameter", "Protects", "Value", "Range", "Risk", "Locked"].map((head, place) => (
                        <th key={head} scope="col" className={place === 2 || place === 3 ? "amount" : undefined}>
                          {head}
                        </th>
                      ))}
                    </tr>
                  </thead>
                  <tbody>
                    {shown.map(({ name, value, unit, min, max, risk, locked, protects, default: usual }) => (
                      <tr key={name} aria-current={name === named}>
                        <th scope="row">
                          <button type="button" className="as-link" onClick={() => setQuery({ parameter: name })}>
                            {name}
                          </button>
                        </th>
                        <td className="small">{protects}</td>
                        <td className="amount">
                          {grouped(value)} {unit}
                          {value !== usual && <span className="muted"> (default {grouped(usual)})</span>}
                        </td>
                        <td className="amount">
                          {grouped(min)} – {grouped(max)}
                        </td>
                        <td>{risk}</td>
                        <td>{locked ? "yes" : "no"}</td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
              {chosen !== undefined && <Rule key={chosen.name} parameter={chosen} onClose={() => setQuery({})} />}
            </div>
          );
        }}
      </Asked>
    </>
  );
}

function Rule({ parameter, onClose }: { readonly parameter: Parameter; readonly onClose: () => void }) {
  const { name, index, unit, value, min, max, risk, weaker, locked, protects } = parameter;
  const navigate = useNavigate();
  const [proposed, setProposed] = useState(value);
  const [because, setBecause] = useState("");
  const isWhole = /^\d{1,30}$/.test(proposed);
  const inRange = isWhole && BigInt(proposed) >= BigInt(min) && BigInt(proposed) <= BigInt(max);
  const weakens =
    isWhole && ((weaker === "UP" && BigInt(proposed) > BigInt(value)) || (weaker === "DOWN" && BigInt(proposed) < BigInt(value)));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void navigate("/panel/order", { state: { action: "AMEND_PARAMETER", values: [String(index), proposed], because } });
  };
  return (
    <SidePanel id="rule" title={name} onClose={onClose}>
      <Text>It protects {protects}.</Text>
      <Text>
        {grouped(value)} {unit}, allowed from {grouped(min)} to {grouped(max)}. Risk {risk}:{" "}
        {risk === "HIGH" ? "two adjudicators" : CHANGED_BY[weaker]} may change it; {WEAKER[weaker]}.{" "}
        {locked
          ? "A change applies to sessions that open after it, without a timelock; running missions keep the value of their session."
          : "A change applies to everyone at once, without a timelock."}
      </Text>
      <History name={name} unit={unit} />
      <form onSubmit={submit}>
        <Title order={3}>Propose a change</Title>
        <TextInput
          label={`New value, in ${unit}`}
          value={proposed}
          required
          inputMode="numeric"
          error={inRange ? undefined : `from ${grouped(min)} to ${grouped(max)}`}
          onChange={({ currentTarget }) => setProposed(currentTarget.value)}
        />
        {weakens && inRange && <Text role="status">This weakens what the parameter protects.</Text>}
        <Because text={because} onChange={setBecause} />
        <Button my="sm" type="submit" disabled={!inRange || proposed === value || because.trim() === ""}>
          See what would happen
        </Button>
      </form>
    </SidePanel>
  );
}

/** All of its values, with signers and reasons. */
function History({ name, unit }: { readonly name: string; readonly unit: string }) {
  const history = useAsked<ParameterHistory>(`/v1/parameters/${name}/history`);
  return (
    <>
      <Title order={3}>How it came to be</Title>
      <Asked of={history}>
        {({ values }) =>
          values.length === 0 ? (
            <Empty>It has the value that the city was founded with.</Empty>
          ) : (
            <ol className="news">
              {values.map(({ eventId, timestamp, value, block, adjudicators, because }) => (
                <li key={eventId} data-signed={adjudicators.length}>
                  <span className="muted">{eventMoment({ timestamp })}</span>{" "}
                  <strong>
                    {grouped(value)} {unit}
                  </strong>
                  , block {block}, {adjudicators.length === 0 ? "at the founding" : `signed by ${adjudicators.map(short).join(" and ")}`} ·{" "}
                  <Link to={`/log?event=${eventId}`}>entry</Link>
                  {because !== null && (
                    <div>
                      <Quoted text={because} short={200} />
                    </div>
                  )}
                </li>
              ))}
            </ol>
          )
        }
      </Asked>
    </>
  );
}
