import { type PlotOptions, plot } from "@observablehq/plot";
import { useEffect, useRef } from "react";

interface ChartProps {
  /** What it shows, and that a table has the same data. */
  readonly label: string;
  readonly options: PlotOptions;
}

/**
 * Where charts are drawn before they are shown: Plot writes a style element into each, which the page's policy forbids. Its rules are in
 * console.css.
 */
const workshop = document.implementation.createHTMLDocument();

/** A chart by Observable Plot: one image for screen readers, since its table has the details. */
export function Chart({ label, options }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const drawn = plot({ ...options, className: "chart", document: workshop });
    for (const style of drawn.querySelectorAll("style")) style.remove();
    const picture = drawn.matches("svg") ? drawn : drawn.querySelector("svg.chart");
    for (const part of picture?.children ?? []) part.setAttribute("aria-hidden", "true");
    picture?.setAttribute("role", "img");
    picture?.setAttribute("aria-label", label);
    place.current?.replaceChildren(drawn);
  }, [label, options]);
  return <div ref={place} className="chart-place" />;
}
