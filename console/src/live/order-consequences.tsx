import { Code, Group, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { formatMoney } from "../../../orchestrator/primitives/amounts.ts";
import { diagnoseText } from "../../../orchestrator/protocol/diagnoses.ts";
import type { Draft, Simulation } from "../city/answers.ts";
import { send } from "../city/gateway.ts";
import { Asked } from "../parts/asked.tsx";
import { short, shortened } from "../parts/words.ts";
import { useBearer } from "./bearer.tsx";
import { SignIn } from "./sign-in.tsx";

/** What a contract's refusal means, and what helps; its own text where no diagnosis exists. */
export function inWords(refusal: string): string {
  const diagnosis = diagnoseText(refusal);
  return diagnosis === undefined ? refusal : `${shortened(diagnosis.means)}; ${diagnosis.helps}`;
}

export type Seat = Draft["seats"][number];

export function Signers({ draft: { seats, needed, signatures }, own }: { readonly draft: Draft; readonly own: string | undefined }) {
  const signed = signatures.map(({ adjudicator }) => adjudicator.toLowerCase());
  return (
    <>
      <Title order={3}>Who signs</Title>
      <Text>
        {needed === 1 ? "One signature is" : `${needed} signatures are`} needed; it has {signatures.length}.{" "}
        {seats.filter(({ may }) => may).length} of {seats.length} seats may sign
        {seats.filter(({ may }) => may).length < needed && ": too few, so only the senior adjudicator's emergency power remains"}.
      </Text>
      <ul className="plain">
        {seats.map(({ adjudicator, may, because, error }) => (
          <li key={adjudicator} data-seat={adjudicator} data-may={may}>
            <span className="mono">{short(adjudicator)}</span>{" "}
            {signed.includes(adjudicator.toLowerCase()) ? "has signed" : may ? "may sign" : `may not: ${inWords(because ?? error ?? "")}`}
            {adjudicator === own && <strong> (you)</strong>}
          </li>
        ))}
      </ul>
    </>
  );
}

interface ConsequencesProps {
  readonly draft: Draft;
  readonly own: Seat | undefined;
}

export function Consequences({ draft, own }: ConsequencesProps) {
  const { bearer } = useBearer();
  const { seats, signatures, needed, message } = draft;
  const signers = useMemo(() => {
    const able = seats.filter(({ may }) => may).map(({ adjudicator }) => adjudicator);
    const first = [...signatures.map(({ adjudicator }) => adjudicator), ...(own?.may === true ? [own.adjudicator] : [])];
    return [...new Set([...first, ...able])].slice(0, Math.max(1, needed));
  }, [seats, signatures, own, needed]);
  const simulation = useQuery<Simulation>({
    queryKey: ["simulation", draft.hashes.digest, signers, bearer?.key],
    queryFn: () => send<Simulation>("/v1/orders/simulate", { message, signers }, { authorization: `Bearer ${bearer?.bearer}` }),
    enabled: bearer !== undefined && signers.length > 0,
    retry: false,
  });
  return (
    <>
      <Title order={3}>What would follow</Title>
      {bearer === undefined ? (
        <Group>
          <Text>The chain can carry it out for you and forget it. That is for adjudicators.</Text>
          <SignIn isSmall>Sign in and simulate</SignIn>
        </Group>
      ) : (
        <Asked of={simulation}>
          {({ succeeds, refusal, changes, method, unreported, storage, transfers }) => (
            <div data-simulated={succeeds} data-method={method}>
              <Text>
                Asked by <Code>{method}</Code>, as anybody who relays it, signed by {signers.map(short).join(" and ")}:{" "}
                <strong>{succeeds ? "it succeeds" : `refused: ${inWords(refusal ?? "")}`}</strong>
              </Text>
              {changes.length > 0 && <Changes caption="What changes at once" of={changes} />}
              {transfers !== null && transfers.length > 0 && <Transfers of={transfers} />}
              {storage !== null && storage.length > 0 && (
                <details data-storage={storage.length}>
                  <summary>All {storage.length} changes of the contracts' storage</summary>
                  {[...Map.groupBy(storage, ({ contract }) => contract)].map(([contract, own]) => (
                    <Changes key={contract} caption={contract} of={own} />
                  ))}
                </details>
              )}
              {succeeds && storage === null && (
                <Text size="sm" className="muted">
                  This city's node does not tell what else would change.
                </Text>
              )}
              {unreported.map(({ method: other, reason }) => (
                <Text key={other} size="sm" className="muted" data-unreported={other}>
                  Not by <Code>{other}</Code>: {reason}
                </Text>
              ))}
            </div>
          )}
        </Asked>
      )}
    </>
  );
}

function Changes({ caption, of }: { readonly caption: string; readonly of: Simulation["changes"] }) {
  return (
    <table className="changes">
      <thead>
        <tr>
          <th scope="col">{caption}</th>
          <th scope="col">now</th>
          <th scope="col">then</th>
        </tr>
      </thead>
      <tbody>
        {of.map(({ what, from, to }) => (
          <tr key={what}>
            <th scope="row">{shortened(what)}</th>
            <td>{shortened(from)}</td>
            <td>
              <strong>{shortened(to)}</strong>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** By the events of the tokens' own contract. */
function Transfers({ of }: { readonly of: NonNullable<Simulation["transfers"]> }) {
  return (
    <ul className="plain" aria-label="Tokens that would move">
      {of.map(({ from, to, units }, place) => (
        // The same amount may move twice.
        // biome-ignore lint/suspicious/noArrayIndexKey: their order is all that tells them apart
        <li key={place} data-transfer={units}>
          <strong>{formatMoney(BigInt(units))}</strong> tokens from <span className="mono">{short(from)}</span> to{" "}
          <span className="mono">{short(to)}</span>
        </li>
      ))}
    </ul>
  );
}
