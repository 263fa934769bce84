import { Button, Text, TextInput, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { grouped } from "../../../orchestrator/primitives/amounts.ts";
import type { Event, Page, Parameter, Payload } from "../city/answers.ts";
import { ask } from "../city/gateway.ts";
import { useAsked } from "../city/live.tsx";
import { Asked, Empty } from "../parts/asked.tsx";
import { Because } from "../parts/because.tsx";
import { SidePanel } from "../parts/side-panel.tsx";
import { eventMoment } from "../parts/words.ts";

const WEAKER: Readonly<Record<string, string>> = {
  UP: "a higher value protects less",
  DOWN: "a lower value protects less",
  NONE: "either way protects as much",
};

/** The constitution's numbers: in force, allowed, what they protect, how they came to be, and how to change one. */
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
          const shown = all.filter(({ name }) => name.toLowerCase().includes(sought.trim().toLowerCase().replaceAll(" ", "_")));
          return (
            <div className="split" data-open={chosen !== undefined}>
              <div className="wide">
                <table>
                  <caption>
                    {shown.length} of {all.length} parameters
                  </caption>
                  <thead>
                    <tr>
                      {["Parameter", "Value", "Range", "Risk", "Locked"].map((head, place) => (
                        <th key={head} scope="col" className={place === 1 || place === 2 ? "amount" : undefined}>
                          {head}
                        </th>
                      ))}
                    </tr>
                  </thead>
                  <tbody>
                    {shown.map(({ name, value, unit, min, max, risk, locked, default: usual }) => (
                      <tr key={name} aria-current={name === named}>
                        <th scope="row">
                          <button type="button" className="as-link" onClick={() => setQuery({ parameter: name })}>
                            {name}
                          </button>
                        </th>
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
  const { name, index, unit, value, min, max, risk, weaker, locked } = parameter;
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
      <Text>
        {grouped(value)} {unit}, allowed from {grouped(min)} to {grouped(max)}. Risk {risk}:{" "}
        {risk === "HIGH" ? "two adjudicators" : "one adjudicator"} may change it; {WEAKER[weaker]}.{" "}
        {locked ? "Missions that run keep the value of their session." : "It holds at once for everybody."}
      </Text>
      <History index={index} unit={unit} />
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

/** Entries looked through for one parameter's history. */
const MOST = 200;

function History({ index, unit }: { readonly index: number; readonly unit: string }) {
  const history = useQuery({
    queryKey: ["live", "parameter", index],
    queryFn: async ({ signal }) => {
      const { items } = await ask<Page<Event>>(
        "/v1/events",
        { name: "ConstitutionContract.ParameterSet", newest: true, limit: MOST },
        signal,
      );
      const found = [];
      for (const event of items) {
        if (event.payloadCid === null) continue;
        const { payload } = await ask<Payload>(`/v1/payloads/${event.payloadCid}`, {}, signal);
        const { args } = payload as { readonly args?: { readonly param?: number; readonly value?: string | number } };
        if (args?.param === index) found.push({ event, value: String(args.value) });
        if (found.length >= 20) break;
      }
      return found;
    },
    staleTime: 60_000,
  });
  return (
    <>
      <Title order={3}>How it came to be</Title>
      <Asked of={history}>
        {(found) =>
          found.length === 0 ? (
            <Empty>It has the value that the city was founded with.</Empty>
          ) : (
            <ol className="news">
              {found.map(({ event, value }) => (
                <li key={event.eventId}>
                  <span className="muted">{eventMoment(event)}</span> {grouped(value)} {unit}, block {event.blockNumber}
                </li>
              ))}
            </ol>
          )
        }
      </Asked>
    </>
  );
}
