import type { Metric } from "../city/answers.ts";
import { StateMark } from "../parts/state-mark.tsx";
import { short, span } from "../parts/words.ts";

const CALM = { word: "calm", look: "done", means: "" } as const;
const ALERT = { word: "alert", look: "failed", means: "" } as const;
const MOST = 8;

/** Every live metric with its alert condition, whether it is met, and its parts with their limits. */
export function Metrics({ metrics, asOf }: { readonly metrics: readonly Metric[]; readonly asOf: number }) {
  return (
    <ul className="cards metrics">
      {metrics.map(({ name, value, alerts, condition, parts }) => (
        <li key={name} className="card" data-metric={name} data-alerts={alerts}>
          <span className="row">
            <strong>{name}</strong>
            <StateMark state={alerts ? ALERT : CALM} />
          </span>
          <span className="value">{value === "" ? "none" : value}</span>
          {parts.slice(0, MOST).map(({ label, value: own, share, until }, place) => (
            // Two parts may have the same text.
            // biome-ignore lint/suspicious/noArrayIndexKey: their order is all that tells them apart
            <span key={place} className="part">
              <span className="row">
                <span className="mono">{label.startsWith("0x") ? short(label) : label}</span>
                <span>
                  {own}
                  {until !== null && `, ${until > asOf ? `in ${span(until - asOf)}` : "due"}`}
                </span>
              </span>
              {share !== null && <meter min={0} max={10_000} value={share} aria-label={`${label}: ${own}`} />}
            </span>
          ))}
          {parts.length > MOST && <span className="muted">and {parts.length - MOST} more</span>}
          <span className="muted small">alerts when {condition}</span>
        </li>
      ))}
    </ul>
  );
}
