import type { StateWords } from "./words.ts";

/** One outline per state, so that colour is never the only sign. */
const OUTLINES: Readonly<Record<StateWords["look"], string>> = {
  done: "M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1zM4.6 8.2l2.3 2.4 4.6-5",
  failed: "M5 1h6l4 4v6l-4 4H5l-4-4V5zM5.3 5.3l5.4 5.4M10.7 5.3l-5.4 5.4",
  frozen: "M8 1l6 3.5v7L8 15l-6-3.5v-7zM6 5.5v5M10 5.5v5",
  working: "M8 1.5L14.8 14H1.2zM8 6v4M8 11.5v.6",
  waiting: "M2 2h12v12H2zM5 8h6",
};

export function StateMark({ state }: { readonly state: StateWords }) {
  return (
    <span className={`state look-${state.look}`} data-look={state.look}>
      <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
        <path d={OUTLINES[state.look]} fill="none" stroke="currentColor" strokeWidth="1.6" />
      </svg>
      {state.word}
    </span>
  );
}
