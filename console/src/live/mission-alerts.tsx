import { Alert } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { Link } from "react-router";
import type { Metric } from "../city/answers.ts";
import { short } from "../parts/words.ts";

/** Over the whole screen until it was seen; then it stays at the top. A later stop is another one. */
function StopAlert({ what, since }: { readonly what: string; readonly since: string }) {
  const key = `${what} ${since}`;
  const [seen, setSeen] = useState("");
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (seen !== key) dialog.current?.showModal();
  }, [seen, key]);
  return (
    <>
      {seen !== key && (
        <dialog ref={dialog} className="stop-screen" aria-labelledby="stop-screen" onClose={() => setSeen(key)} data-stop>
          <h2 id="stop-screen">EMERGENCY STOP: {what}</h2>
          <p>
            Nothing is routed until adjudicators clear it{since === "" ? "" : `. Since ${since} of chain time`}. What is under way goes on.
          </p>
          <form method="dialog">
            <button type="submit">I have seen it</button>
          </form>
        </dialog>
      )}
      <div className="stopped" role="alert">
        <strong>EMERGENCY STOP: {what}.</strong> Nothing is routed until adjudicators clear it. <Link to="/panel">Override panel</Link>
      </div>
    </>
  );
}

export function Alerts({ metrics }: { readonly metrics: readonly Metric[] }) {
  const alerts = metrics.filter((each) => each.alerts);
  const stop = alerts.find(({ name }) => name === "emergency stops");
  if (alerts.length === 0) return null;
  return (
    <>
      {stop !== undefined && <StopAlert what={stop.value} since={stop.parts[0]?.value ?? ""} />}
      <Alert color="red" variant="outline" role="alert" title={`${alerts.length} of 11 metrics ask for attention`} my="sm">
        <ul className="plain">
          {alerts.map(({ name, value, parts }) => (
            <li key={name}>
              <strong>{name}:</strong> {value}
              {parts.length > 0 && parts.length < 6 && ` (${parts.map(({ label, value: own }) => `${short(label)} ${own}`).join("; ")})`}
            </li>
          ))}
        </ul>
      </Alert>
    </>
  );
}
