import { Alert, Button, Checkbox, Group, Text, TextInput, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Link, useLocation, useParams } from "react-router";
import { formatMoney, parseAmount } from "../../../orchestrator/primitives/amounts.ts";
import type { CaseDetail, Draft } from "../city/answers.ts";
import { ask, request } from "../city/gateway.ts";
import { Asked } from "../parts/asked.tsx";
import { Because } from "../parts/because.tsx";
import { short } from "../parts/words.ts";
import { useBearer } from "./bearer.tsx";
import { type Checked, Evidence, useChecked } from "./case-evidence.tsx";
import type { Asking, Ruling } from "./command-line.ts";
import { Drafted, Signable } from "./order-signature.tsx";
import { SignIn } from "./sign-in.tsx";

/** `/panel/order`: an order that was asked for on the page before. */
export function OrderPage() {
  const { state } = useLocation();
  const asking = state as Asking | null;
  if (asking === null)
    return (
      <>
        <Title order={1}>No order is drafted</Title>
        <Link to="/panel">To the override panel</Link>
      </>
    );
  return (
    <>
      <Title order={1}>{asking.action ?? asking.decision}</Title>
      <Drafted asking={asking} evidence="none" />
    </>
  );
}

/** `/panel/orders/:digest`: signed by one, waits for another. */
export function WaitingOrder() {
  const { digest = "" } = useParams();
  const order = useQuery<Draft>({
    queryKey: ["live", "order", digest],
    queryFn: ({ signal }) => ask<Draft>(`/v1/orders/${digest}`, {}, signal),
  });
  return (
    <>
      <Title order={1}>An order waits for another signature</Title>
      <Asked of={order}>{(draft) => <Signable draft={draft} evidence="none" />}</Asked>
    </>
  );
}

/** `/panel/cases/:name`: evidence on the left, the decision on the right. */
export function CasePage() {
  const { name = "" } = useParams();
  const { bearer } = useBearer();
  const [asking, setAsking] = useState<Asking>();
  const [because, setBecause] = useState("");
  const found = useQuery<CaseDetail>({
    queryKey: ["live", "case", name, bearer?.key],
    queryFn: ({ signal }) =>
      request<CaseDetail>(`/v1/cases/${name}`, { method: "GET", headers: { authorization: `Bearer ${bearer?.bearer}` }, signal }),
    enabled: bearer !== undefined,
  });
  const [opened, setOpened] = useState<CaseDetail>();
  useEffect(() => {
    if (opened === undefined && found.data !== undefined) setOpened(found.data);
  }, [opened, found.data]);
  const checked = useChecked(found.data);
  const hasChanged = opened !== undefined && found.data !== undefined && (found.data.line !== opened.line || !found.data.isCurrent);
  if (bearer === undefined)
    return (
      <div className="narrow">
        <Title order={1}>Case {name}</Title>
        <Text>
          Work of a running mission is for seated adjudicators alone. Show with your wallet which seat is yours: it signs a text that opens
          a session of fifteen minutes. The session reads; it can decide nothing.
        </Text>
        <SignIn>Sign in with a wallet</SignIn>
      </div>
    );
  return (
    <>
      <Title order={1}>Case {name}</Title>
      <Asked of={found}>
        {(subject) => (
          <>
            {hasChanged && (
              <Alert color="red" role="alert" title="This case has changed since you opened it">
                <Text>
                  Then: {opened?.line}. Now: {subject.line}
                  {!subject.isCurrent && " (decided)"}. Look again before you decide.
                </Text>
                <Button size="compact-sm" variant="default" onClick={() => setOpened(subject)}>
                  I have looked
                </Button>
              </Alert>
            )}
            <div className="split" data-open="true">
              <Evidence subject={subject} checked={checked} />
              <section className="panel" aria-labelledby="decision">
                <Title order={2} id="decision">
                  The decision
                </Title>
                <Because text={because} onChange={setBecause} />
                <Group my="sm">
                  {subject.decisions.map((decision) => (
                    <Button
                      key={decision}
                      variant="default"
                      disabled={because.trim() === "" || hasChanged}
                      onClick={() => setAsking({ case: name, decision, because })}
                    >
                      {decision === "approve" ? "Approve" : "Reject"}: see what would happen
                    </Button>
                  ))}
                </Group>
                {subject.ruling !== null && (
                  <RulingForm
                    subject={subject}
                    ruling={subject.ruling}
                    because={because}
                    isHeld={hasChanged}
                    onAsk={(values) =>
                      setAsking({
                        action: "RESOLVE_APPEAL",
                        mission: subject.mission ?? "",
                        node: subject.node ?? 0,
                        values: [values],
                        because,
                      })
                    }
                  />
                )}
                <Stops subject={subject} checked={checked} />
                {asking !== undefined && <Drafted key={JSON.stringify(asking)} asking={asking} evidence={checked.state} />}
              </section>
            </div>
          </>
        )}
      </Asked>
    </>
  );
}

interface RulingFormProps {
  readonly subject: CaseDetail;
  readonly ruling: NonNullable<CaseDetail["ruling"]>;
  readonly because: string;
  /** The case changed, and that was not looked at yet. */
  readonly isHeld: boolean;
  readonly onAsk: (ruling: Ruling) => void;
}

/** One ruling on every open appeal of an attempt: which are right, what is earned after all, who loses stake. */
function RulingForm({ ruling: { attempt, appeals, slots }, because, isHeld, onAsk }: RulingFormProps) {
  const [upheld, setUpheld] = useState(0);
  const [share, setShare] = useState("50");
  const [slash, setSlash] = useState("0");
  const [culprits, setCulprits] = useState(0);
  const isShare = /^(100|\d{1,2})$/.test(share);
  const units = /^\d{1,9}(\.\d{1,6})?$/.test(slash) ? parseAmount(slash) : undefined;
  const ask = (mask: number) =>
    onAsk({
      attempt,
      filed: appeals.length,
      upheld: mask,
      share: mask === 0 ? 0 : Number(share) * 100,
      slash: mask === 0 ? "0" : String(units ?? 0n),
      culprits: mask === 0 ? 0 : culprits,
    });
  const canAsk = because.trim() !== "" && !isHeld;
  return (
    <div data-ruling={attempt}>
      <fieldset>
        <legend>Which appeals are right?</legend>
        {appeals.map(({ appellant, bond }, position) => (
          <Checkbox
            // Appeals are named by their place.
            // biome-ignore lint/suspicious/noArrayIndexKey: the ruling names them by position
            key={position}
            my="xs"
            label={`${appellant}, with a bond of ${formatMoney(BigInt(bond))}`}
            checked={((upheld >> position) & 1) === 1}
            onChange={() => setUpheld(upheld ^ (1 << position))}
          />
        ))}
      </fieldset>
      {upheld !== 0 && (
        <>
          <TextInput
            label="What is earned after all, in per cent of the price"
            description="For an attempt that failed it has to be 0: its budget is its successor's"
            value={share}
            inputMode="numeric"
            error={isShare ? undefined : "a whole number from 0 to 100"}
            onChange={({ currentTarget }) => setShare(currentTarget.value)}
          />
          <TextInput
            label="Taken from each culprit, in tokens"
            description="At most 500 for an attempt that was recorded"
            value={slash}
            inputMode="decimal"
            error={units === undefined ? "tokens, with at most six digits after the point" : undefined}
            onChange={({ currentTarget }) => setSlash(currentTarget.value)}
          />
          <fieldset>
            <legend>Whose stake it is</legend>
            {slots.map(({ slot, agent }) => (
              <Checkbox
                key={slot}
                my="xs"
                label={`slot ${slot}: ${short(agent)}`}
                checked={((culprits >> slot) & 1) === 1}
                onChange={() => setCulprits(culprits ^ (1 << slot))}
              />
            ))}
          </fieldset>
        </>
      )}
      <Group my="sm">
        {upheld === 0 ? (
          <Button variant="default" disabled={!canAsk} onClick={() => ask(0)}>
            Reject every appeal: see what would happen
          </Button>
        ) : (
          <Button variant="default" disabled={!canAsk || !isShare || units === undefined} onClick={() => ask(upheld)}>
            Uphold: see what would happen
          </Button>
        )}
      </Group>
    </div>
  );
}

/** Acts that stop work, for an adjudicator who lacks part of the case: signable at once, with the missing parts in their reason. */
function Stops({ subject: { mission, node, pieces }, checked }: { readonly subject: CaseDetail; readonly checked: Checked }) {
  if (mission === null || checked.state !== "incomplete") return null;
  const missing = pieces.filter(({ cid }) => checked.results.get(cid) !== "fits").map(({ cid, name }) => `${name} ${cid}`);
  const because = `Not shown to me whole: ${missing.join(", ")}`.slice(0, 3_900);
  return (
    <Group my="sm">
      {(
        [
          ["FREEZE", "Freeze this part"],
          ["EMERGENCY_STOP", "Stop its mission"],
        ] as const
      ).map(([action, name]) => (
        <Button
          key={action}
          component={Link}
          to={`/panel/act?${new URLSearchParams({ action, mission, node: String(node ?? 0), because })}`}
          color="red"
          variant="outline"
          size="compact-sm"
        >
          {name}
        </Button>
      ))}
    </Group>
  );
}
