// A line of a few numbers, so small that it stands in a cell. All of it is pure.
export const kSparkWidth = 44, kSparkHeight = 11;

const kEdge = 1.5;
const kLeast = 10;  // what the height is at least worth: no noise is to look like a mountain

// The points of a polyline, from left to right; what is not known is left out. Nothing where there is no line, or
// where it would be level: a grid of level lines hides those that move.
export function lineOf(values: (number | null)[] | undefined): string | undefined {
  const known = (values ?? []).flatMap((value, i) => (value === null ? [] : [{value, i}]));
  if (known.length < 2 || !values) return undefined;
  const low = Math.min(...known.map((it) => it.value)), high = Math.max(...known.map((it) => it.value));
  if (high === low) return undefined;
  const range = Math.max(high - low, kLeast), floor = (low + high - range) / 2;
  const x = (i: number) => kEdge + (i * (kSparkWidth - 2 * kEdge)) / (values.length - 1);
  const y = (value: number) => kSparkHeight - kEdge - ((value - floor) * (kSparkHeight - 2 * kEdge)) / range;
  return known.map(({value, i}) => `${x(i).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
}
