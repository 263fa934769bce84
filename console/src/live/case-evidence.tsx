import { List, Text, Title } from "@mantine/core";
import { useEffect, useState } from "react";
import { Link } from "react-router";
import type { CaseDetail } from "../city/answers.ts";
import { Empty } from "../parts/asked.tsx";
import { Quoted } from "../parts/quoted.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import { short } from "../parts/words.ts";

export type EvidenceState = "none" | "checking" | "whole" | "incomplete";
export interface Checked {
  readonly state: EvidenceState;
  readonly results: ReadonlyMap<string, Result>;
}

/** The digest in a CIDv1 (raw, sha2-256, base32), in hex. */
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

async function sha256Hex(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
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

/** Hashes every piece here and compares it with its recorded id. */
export function useChecked(subject: CaseDetail | undefined): Checked {
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

export function Evidence({ subject, checked }: { readonly subject: CaseDetail; readonly checked: Checked }) {
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
