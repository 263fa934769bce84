/** Charts as SVG without dependencies: lines with bands, bars, points with curves. */

export interface Series {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
  /** Lower and upper end at each point. */
  readonly band?: readonly (readonly [low: number, high: number])[];
  /** Drawn as points, not as a line. */
  readonly dots?: boolean;
}

export interface Chart {
  readonly title: string;
  readonly x: string;
  readonly y: string;
  readonly series: readonly Series[];
  readonly logarithmic?: boolean;
  /** Dashed lines across the chart: a threshold, a shock. */
  readonly marks?: readonly ({ readonly x: number; readonly text: string } | { readonly y: number; readonly text: string })[];
  /** Smallest range of y. */
  readonly within?: readonly [low: number, high: number];
}

const [WIDTH, HEIGHT] = [720, 380];
const EDGE = { left: 64, right: 200, top: 40, bottom: 48 } as const;
/** Enough for the chart with the most series: four configurations by three personas. */
const COLOURS = [
  "#2f6fab",
  "#c2571a",
  "#3a8f5c",
  "#8a4f9e",
  "#7a7a7a",
  "#b03a5b",
  "#7fb2dd",
  "#eda57a",
  "#8fcfa8",
  "#c9a3d6",
  "#333333",
  "#e58fa8",
] as const;
const colour = (at: number): string => COLOURS[at % COLOURS.length] ?? COLOURS[0];
const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
const at = (value: number) => (Math.round(value * 10) / 10).toString();

/** About five round numbers in a range. */
export function ticks(low: number, high: number): number[] {
  const rough = (high - low) / 5 || 1;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((times) => times * unit).find((size) => size >= rough) ?? 10 * unit;
  const first = Math.ceil(low / step - 1e-9);
  return Array.from({ length: Math.max(0, Math.floor(high / step + 1e-9) - first + 1) }, (_, place) =>
    Number(((first + place) * step).toPrecision(12)),
  );
}

const powers = (low: number, high: number): number[] => {
  const from = Math.ceil(Math.log10(low) - 1e-9);
  return Array.from({ length: Math.max(1, Math.floor(Math.log10(high) + 1e-9) - from + 1) }, (_, place) => 10 ** (from + place));
};

export function lineChart(chart: Chart): string {
  const xs = chart.series.flatMap(({ points }) => points.map(([x]) => x));
  const ys = chart.series.flatMap(({ points, band = [] }) => [...points.map(([, y]) => y), ...band.flat()]).filter(Number.isFinite);
  if (xs.length === 0) return frame(chart.title, `<text x="${WIDTH / 2}" y="${HEIGHT / 2}" text-anchor="middle">no runs</text>`);
  const [least, most] = chart.within ?? [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const across = scale(Math.min(...xs), Math.max(...xs), EDGE.left, WIDTH - EDGE.right, chart.logarithmic === true);
  const up = scale(Math.min(least, ...ys), Math.max(most, ...ys), HEIGHT - EDGE.bottom, EDGE.top, false);
  const drawn = chart.series.map((series, place) => drawSeries(series, colour(place), across.place, up.place));
  const marks = (chart.marks ?? []).map((mark) => {
    const [x1, y1, x2, y2] =
      "x" in mark
        ? [across.place(mark.x), EDGE.top, across.place(mark.x), HEIGHT - EDGE.bottom]
        : [EDGE.left, up.place(mark.y), WIDTH - EDGE.right, up.place(mark.y)];
    return `<path d="M${at(x1)} ${at(y1)}L${at(x2)} ${at(y2)}" stroke="#999" stroke-dasharray="4 3"/><text x="${at(x1 + 4)}" y="${at(y1 + ("x" in mark ? 10 : -4))}" fill="#666">${escaped(mark.text)}</text>`;
  });
  return frame(chart.title, [axes(chart, across, up), ...marks, ...drawn, legend(chart.series.map(({ name }) => name))].join("\n"));
}

interface Scale {
  readonly place: (value: number) => number;
  readonly ticks: readonly number[];
}

function scale(low: number, high: number, from: number, to: number, isLogarithmic: boolean): Scale {
  const value = isLogarithmic ? Math.log10 : (one: number) => one;
  const [first, last] = [value(low), value(high) === value(low) ? value(low) + 1 : value(high)];
  return {
    place: (one) => from + ((value(one) - first) / (last - first)) * (to - from),
    ticks: isLogarithmic ? powers(low, high) : ticks(low, high),
  };
}

function drawSeries({ points, band, dots }: Series, stroke: string, x: (value: number) => number, y: (value: number) => number): string {
  const place = ([px, py]: readonly [number, number]) => `${at(x(px))} ${at(y(py))}`;
  if (dots === true)
    return points.map(([px, py]) => `<circle cx="${at(x(px))}" cy="${at(y(py))}" r="3" fill="${stroke}" fill-opacity="0.6"/>`).join("");
  const edges = band ?? [];
  const upper = points.map(([px], i) => place([px, edges[i]?.[1] ?? 0]));
  const lower = points.map(([px], i) => place([px, edges[i]?.[0] ?? 0])).reverse();
  const area = edges.length === 0 ? "" : `<path d="M${[...upper, ...lower].join("L")}Z" fill="${stroke}" fill-opacity="0.15"/>`;
  return `${area}<path d="M${points.map(place).join("L")}" fill="none" stroke="${stroke}" stroke-width="1.6"/>`;
}

function axes({ x: xName, y: yName }: Pick<Chart, "x" | "y">, across: Scale, up: Scale): string {
  const bottom = HEIGHT - EDGE.bottom;
  const right = WIDTH - EDGE.right;
  const xTicks = across.ticks.map((tick) => `<text x="${at(across.place(tick))}" y="${bottom + 16}" text-anchor="middle">${tick}</text>`);
  const yTicks = up.ticks.map(
    (tick) =>
      `<path d="M${EDGE.left} ${at(up.place(tick))}H${right}" stroke="#e4e4e4"/><text x="${EDGE.left - 6}" y="${at(up.place(tick) + 4)}" text-anchor="end">${tick}</text>`,
  );
  const frameLine = `<path d="M${EDGE.left} ${EDGE.top}V${bottom}H${right}" fill="none" stroke="#555"/>`;
  const names = `<text x="${(EDGE.left + right) / 2}" y="${HEIGHT - 10}" text-anchor="middle">${escaped(xName)}</text><text transform="translate(16 ${(EDGE.top + bottom) / 2}) rotate(-90)" text-anchor="middle">${escaped(yName)}</text>`;
  return [...yTicks, ...xTicks, frameLine, names].join("");
}

const legend = (names: readonly string[]): string =>
  names
    .map((name, place) => {
      const top = EDGE.top + 18 * place;
      return `<rect x="${WIDTH - EDGE.right + 12}" y="${top}" width="10" height="10" fill="${colour(place)}"/><text x="${WIDTH - EDGE.right + 28}" y="${top + 9}">${escaped(name)}</text>`;
    })
    .join("");

const frame = (title: string, inner: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif" font-size="12" role="img" aria-label="${escaped(title)}">\n<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>\n<text x="${EDGE.left}" y="22" font-size="14" font-weight="600">${escaped(title)}</text>\n${inner}\n</svg>\n`;

/** One group of bars: a value and its interval per name. */
export interface Group {
  readonly name: string;
  readonly bars: readonly { readonly name: string; readonly value: number; readonly low: number; readonly high: number }[];
}

export function barChart({
  title,
  y,
  groups,
  marks = [],
}: {
  title: string;
  y: string;
  groups: readonly Group[];
  marks?: readonly { readonly y: number; readonly text: string }[];
}): string {
  const names = [...new Set(groups.flatMap(({ bars }) => bars.map(({ name }) => name)))];
  const most = Math.max(
    ...groups.flatMap(({ bars }) => bars.map(({ high }) => high)).filter(Number.isFinite),
    ...marks.map((mark) => mark.y),
    1e-9,
  );
  const up = scale(0, most, HEIGHT - EDGE.bottom, EDGE.top, false);
  const wide = (WIDTH - EDGE.left - EDGE.right) / Math.max(1, groups.length);
  const thin = (0.8 * wide) / Math.max(1, names.length);
  const drawn = groups.flatMap(({ name, bars }, group) => {
    const left = EDGE.left + group * wide + 0.1 * wide;
    const label = `<text x="${at(left + 0.4 * wide)}" y="${HEIGHT - EDGE.bottom + 16}" text-anchor="middle">${escaped(name)}</text>`;
    const boxes = bars.map(({ name: bar, value, low, high }) => {
      const place = names.indexOf(bar);
      const [x, top] = [left + place * thin, up.place(value)];
      const middle = at(x + thin / 2);
      return `<rect x="${at(x)}" y="${at(top)}" width="${at(0.9 * thin)}" height="${at(Math.max(0, up.place(0) - top))}" fill="${colour(place)}"/><path d="M${middle} ${at(up.place(low))}V${at(up.place(high))}" stroke="#222"/>`;
    });
    return [label, ...boxes];
  });
  const lines = marks.map(
    (mark) =>
      `<path d="M${EDGE.left} ${at(up.place(mark.y))}H${WIDTH - EDGE.right}" stroke="#999" stroke-dasharray="4 3"/><text x="${EDGE.left + 4}" y="${at(up.place(mark.y) - 4)}" fill="#666">${escaped(mark.text)}</text>`,
  );
  return frame(title, [axes({ x: "", y }, { place: () => 0, ticks: [] }, up), ...drawn, ...lines, legend(names)].join("\n"));
}
