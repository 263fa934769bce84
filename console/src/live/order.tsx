import { Alert, Button, Checkbox, Code, Group, List, Text, TextInput, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { Link, useLocation, useParams } from "react-router";
import { formatMoney, parseAmount } from "../../../orchestrator/primitives/amounts.ts";
import { plainText } from "../../../orchestrator/primitives/plain-text.ts";
import { diagnoseText } from "../../../orchestrator/protocol/diagnoses.ts";
import type { CaseDetail, Draft, Simulation } from "../city/answers.ts";
import { ask, request, send } from "../city/gateway.ts";
import { askAgain, useLive } from "../city/live.tsx";
import { Asked, Empty, Problem } from "../parts/asked.tsx";
import { Because } from "../parts/because.tsx";
import { Copy } from "../parts/copy.tsx";
import { Quoted } from "../parts/quoted.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import { moment, short, shortened, span } from "../parts/words.ts";
import { useBearer } from "./bearer.tsx";
import { type Asking, overrideCommand, type Ruling } from "./command-line.ts";
import { SignIn } from "./sign-in.tsx";
import { useWallet, type Wallet } from "./wallets.tsx";

/** What a contract's refusal means, and what helps; its own words where nobody has written others. */
function inWords(refusal: string): string {
  const diagnosis = diagnoseText(refusal);
  return diagnosis === undefined ? refusal : `${shortened(diagnosis.means)}; ${diagnosis.helps}`;
}

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

/** Acts that stop, for whoever is not shown what would be judged: signable at once, with what is missing in their reason. */
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

type EvidenceState = "none" | "checking" | "whole" | "incomplete";
interface Checked {
  readonly state: EvidenceState;
  readonly results: ReadonlyMap<string, Result>;
}

/** The digest that a CIDv1 (raw, sha2-256, base32) names, in hex. */
function digestIn(cid: string): string {
  const letters = "abcdefghijklmnopqrstuvwxyz234567";
  let bits = "";
  for (const letter of cid.slice(1)) bits += letters.indexOf(letter).toString(2).padStart(5, "0");
  const bytes = bits.match(/.{8}/g) ?? [];
  return bytes
    .slice(4)
    .map((byte) => Number.parseInt(byte, 2).toString(16).padStart(2, "0"))
    .join("");
}

export async function sha256Hex(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

type Result = "fits" | "differs" | "missing" | "large";

async function checkPieces(pieces: CaseDetail["pieces"]): Promise<Checked> {
  const results = new Map<string, Result>();
  for (const { cid, base64, isHere } of pieces) {
    if (base64 === null) results.set(cid, isHere ? "large" : "missing");
    else {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      results.set(cid, (await sha256Hex(bytes)) === digestIn(cid) ? "fits" : "differs");
    }
  }
  const isWhole = [...results.values()].every((result) => result === "fits");
  return { state: isWhole ? "whole" : "incomplete", results };
}

/** Hashes every piece here and compares it with the id that the records name. */
function useChecked(subject: CaseDetail | undefined): Checked {
  const [checked, setChecked] = useState<Checked>({ state: "checking", results: new Map() });
  useEffect(() => {
    let isCurrent = true;
    if (subject !== undefined) void checkPieces(subject.pieces).then((found) => isCurrent && setChecked(found));
    return () => {
      isCurrent = false;
    };
  }, [subject]);
  return checked;
}

const RESULTS = {
  fits: { word: "fetched, hash fits", look: "done", means: "" },
  differs: { word: "hash differs", look: "failed", means: "" },
  missing: { word: "withheld by the city", look: "failed", means: "" },
  large: { word: "too large to fetch here", look: "waiting", means: "" },
} as const;

function Evidence({ subject, checked }: { readonly subject: CaseDetail; readonly checked: Checked }) {
  return (
    <section aria-labelledby="evidence">
      <Title order={2} id="evidence">
        The evidence
      </Title>
      <Text>
        {subject.line}
        {subject.mission !== null && (
          <>
            {" "}
            · <Link to={`/missions/${subject.mission}${subject.node === null ? "" : `/nodes/${subject.node}`}`}>its mission</Link>
          </>
        )}
      </Text>
      {subject.quality !== null && subject.risk !== null && (
        <Text>
          The verifiers found quality {subject.quality.toFixed(2)} and risk {subject.risk.toFixed(2)}.
        </Text>
      )}
      {subject.rubric !== null && (
        <Text>
          To be judged by: <Quoted text={subject.rubric} />
        </Text>
      )}
      {subject.facts.length > 0 && (
        <List>
          {subject.facts.map((fact) => (
            <List.Item key={fact}>
              <Quoted text={fact} />
            </List.Item>
          ))}
        </List>
      )}
      {subject.excerpt !== null && (
        <div className="excerpt">
          <Quoted text={subject.excerpt} short={2_000} />
        </div>
      )}
      <Title order={3}>Pieces, each hashed in this browser</Title>
      {subject.pieces.length === 0 ? (
        <Empty>No record is about it.</Empty>
      ) : (
        <ul className="plain" data-evidence={checked.state}>
          {subject.pieces.map(({ cid, name, size }) => {
            const result = checked.results.get(cid);
            return (
              <li key={cid} className="row">
                <span>
                  {name} <span className="mono muted">{short(cid)}</span>{" "}
                  {size > 0 && <span className="muted">{size.toLocaleString("en")} bytes</span>}
                </span>
                {result === undefined ? <span className="muted">hashing …</span> : <StateMark state={RESULTS[result]} />}
              </li>
            );
          })}
        </ul>
      )}
    </section>
  );
}

function Drafted({ asking, evidence }: { readonly asking: Asking; readonly evidence: EvidenceState }) {
  const draft = useQuery<Draft>({
    queryKey: ["draft", asking],
    queryFn: () => send<Draft>("/v1/orders/draft", asking),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  return (
    <Asked of={draft}>
      {(found) => <Signable draft={found} evidence={evidence} onAgain={() => void draft.refetch()} command={overrideCommand(asking)} />}
    </Asked>
  );
}

interface SignableProps {
  readonly draft: Draft;
  readonly evidence: EvidenceState;
  readonly onAgain?: (() => void) | undefined;
  readonly command?: string | undefined;
}

type Done = {
  readonly status: "executed" | "waiting";
  readonly digest: string;
  readonly transaction: string | null;
  readonly signatures: number;
  readonly needed: number;
};

/** Everything before a signature: what it does, who may, the exact message, what the chain says to it. Then the signature. */
function Signable({ draft, evidence, onAgain, command }: SignableProps) {
  const wallet = useWallet();
  const { account, strays } = wallet;
  const { link } = useLive();
  const [problem, setProblem] = useState<unknown>();
  const [done, setDone] = useState<Done>();
  const [isBusy, setBusy] = useState(false);
  const { message, seats, signatures } = draft;
  const signed = signatures.map(({ adjudicator }) => adjudicator.toLowerCase());
  const own = seats.find(({ adjudicator }) => adjudicator.toLowerCase() === account?.toLowerCase());
  const needsEvidence = !draft.isStop && evidence !== "none" && evidence !== "whole";
  const hasSigned = account !== undefined && signed.includes(account.toLowerCase());
  const isOpen = draft.refusal === null && !draft.isExecuted && link.kind === "live";
  const canSign = own?.may === true && strays === undefined && !hasSigned && !needsEvidence && isOpen;

  const act = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      if (account === undefined) {
        await wallet.connect();
        return;
      }
      const signature = await wallet.signTypedData(draft.typedData);
      const answer = await send<Done>("/v1/orders", {
        message,
        signatures: [...signatures, { adjudicator: own?.adjudicator ?? account, signature }],
      });
      setDone(answer);
      await askAgain();
    } catch (error) {
      setProblem(error);
    } finally {
      setBusy(false);
    }
  };

  if (done !== undefined)
    return (
      <Alert
        color="teal"
        variant="outline"
        role="status"
        title={done.status === "executed" ? "Carried out" : "Signed, and waits for another signature"}
        data-done={done.status}
      >
        {done.status === "executed" ? (
          <Text>
            Transaction <span className="mono">{done.transaction ?? "sent before"}</span>
          </Text>
        ) : (
          <Text>
            {done.signatures} of {done.needed} signatures. Another adjudicator finds it under{" "}
            <Link to={`/panel/orders/${done.digest}`}>this address</Link>, and in <Code>npm run override</Code>.
          </Text>
        )}
        <Link to="/panel">To the panel</Link>
      </Alert>
    );
  return (
    <div data-order={draft.action}>
      <Title order={3}>What it does</Title>
      <Text className="effect">It would {draft.effect}.</Text>
      <Text>
        Because: <Quoted text={draft.because} />
      </Text>
      {draft.refusal !== null && <Refusal refusal={draft.refusal} onAgain={onAgain} />}
      <Signers draft={draft} own={own?.adjudicator} />
      <Consequences draft={draft} own={own} />
      <TypedMessage draft={draft} />
      {needsEvidence && (
        <Alert color="orange" role="alert" title={evidence === "checking" ? "Evidence is being hashed" : "Evidence is missing"}>
          An act that releases, approves or pays is not signed here before every piece was fetched and its hash fits. What was not shown is
          not bad work; it is unknown.
        </Alert>
      )}
      {strays !== undefined && <OtherChain wallet={wallet} shown={strays} onProblem={setProblem} />}
      {problem !== undefined && <Problem error={problem} />}
      <Group my="sm">
        {account === undefined ? (
          <Button loading={isBusy} onClick={() => void act()}>
            Connect a wallet
          </Button>
        ) : (
          <Button loading={isBusy} disabled={!canSign} color={draft.isStop ? "red.9" : "teal.9"} onClick={() => void act()}>
            Sign {draft.action}
          </Button>
        )}
        <Text size="sm" className="muted">
          holds for {span(message.deadline - draft.asOf)} of chain time, until {moment(message.deadline)}
        </Text>
      </Group>
      {account !== undefined && !canSign && !hasSigned && <WhyNot account={account} seat={own} isLive={link.kind === "live"} />}
      {hasSigned && <Text>You have signed this already.</Text>}
      {command !== undefined && <InTerminal command={command} />}
    </div>
  );
}

interface OtherChainProps {
  readonly wallet: Wallet;
  readonly shown: number;
  readonly onProblem: (problem: unknown) => void;
}

/** A wallet signs for no chain but the one that it shows. */
function OtherChain({ wallet: { chain, showChain }, shown, onProblem }: OtherChainProps) {
  const change = () => {
    onProblem(undefined);
    void showChain().catch(onProblem);
  };
  return (
    <Alert color="orange" role="alert" title="The wallet shows another chain" my="sm" data-strays={shown}>
      <Text>
        It shows chain {shown}; this city is on chain {chain.id}, and the order is worth something there alone.
      </Text>
      <Button size="compact-sm" variant="default" onClick={change}>
        Have the wallet show chain {chain.id}
      </Button>
    </Alert>
  );
}

function InTerminal({ command }: { readonly command: string }) {
  return (
    <details>
      <summary>The same in a terminal</summary>
      <pre className="mono" data-command>
        {plainText(command)}
      </pre>
      <Copy text={command} />
      <Text size="sm" className="muted">
        It signs with the key in AGENTCITY_ADJUDICATOR_KEY, with <Code>--wallet</Code>, or on a devnet with <Code>--as adjudicator-1</Code>;{" "}
        <Code>--dry-run</Code> prints the same message as above.
      </Text>
    </details>
  );
}

type Seat = Draft["seats"][number];

function Refusal({ refusal, onAgain }: { readonly refusal: string; readonly onAgain: (() => void) | undefined }) {
  return (
    <Alert color="red" role="alert" title="The chain would refuse this, whoever signs">
      <Text>{inWords(refusal)}</Text>
      <Text size="sm" className="mono">
        {refusal}
      </Text>
      {onAgain !== undefined && (
        <Button size="compact-sm" variant="default" onClick={onAgain}>
          Draft it again on the state as it is now
        </Button>
      )}
    </Alert>
  );
}

function Signers({ draft: { seats, needed, signatures }, own }: { readonly draft: Draft; readonly own: string | undefined }) {
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

function Consequences({ draft, own }: ConsequencesProps) {
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

function TypedMessage({ draft }: { readonly draft: Draft }) {
  return (
    <details className="typed">
      <summary>The exact message, and its three hashes</summary>
      <Text size="sm">
        A hardware wallet shows these. They are those of <Code>npm run override -- … --dry-run</Code>.
      </Text>
      <table>
        <tbody>
          {Object.entries(draft.hashes).map(([name, value]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td className="mono" data-hash={name}>
                {value}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <pre className="mono" data-typed>
        {draft.typedData}
      </pre>
    </details>
  );
}

function WhyNot({ account, seat, isLive }: { readonly account: string; readonly seat: Seat | undefined; readonly isLive: boolean }) {
  return (
    <Text role="status" data-why-not>
      {seat === undefined
        ? `${short(account)} has no seat on the panel.`
        : seat.may
          ? isLive
            ? ""
            : "The city does not answer."
          : `You may not sign: ${inWords(seat.because ?? seat.error ?? "")}.`}
    </Text>
  );
}
