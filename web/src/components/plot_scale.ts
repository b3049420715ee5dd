// Axes of charts: the positions of values, and the labels.
export type Range = [number, number];

interface Scale {
  ticks: number[];
  at: (value: number) => number;  // 0: start of the axis, 1: end
}

const kNice = [1, 2, 5, 10];
const kRounding = 1e-9;  // a tick may miss its value by this share of a step, because of rounding

// The smallest step that gives at most `most` parts: 1, 2 or 5 times 10^n.
function stepOf(span: number, most: number): number {
  const least = span / most;
  const power = 10 ** Math.floor(Math.log10(least));
  return power * kNice.find((nice) => nice * power >= least * (1 - kRounding))!;
}

function multiples([from, to]: Range, step: number): number[] {
  const first = Math.ceil(from / step - kRounding), last = Math.floor(to / step + kRounding);
  // Rounds to twelve digits, so that 3 * 0.1 is 0.3.
  return Array.from({length: last - first + 1}, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

export function linear(range: Range, most: number): Scale {
  const [from, to] = range, span = to - from || 1;
  return {ticks: multiples([from, from + span], stepOf(span, most)), at: (value) => (value - from) / span};
}

// Ticks are powers of `base`. If fewer than two are in the range, it gets the ticks of a linear axis.
export function logarithmic([from, to]: Range, most: number, base = 2): Scale {
  const log = (value: number) => Math.log(value) / Math.log(base), range: Range = [log(from), log(to)];
  const {at} = linear(range, most);
  const powers = multiples(range, Math.max(1, stepOf(range[1] - range[0] || 1, most)));
  const ticks = powers.length > 1 ? powers.map((power) => base ** power) : linear([from, to], most).ticks;
  return {ticks, at: (value) => at(log(value))};
}

// The range of the values with a margin. Without negative values it begins at 0 or above.
export function rangeOf(values: number[], isLog = false): Range {
  const low = Math.min(...values), high = Math.max(...values);
  if (isLog) return [low / 1.2, high * 1.2];
  const room = (high - low || Math.abs(high) || 1) / 10;
  return [low >= 0 ? Math.max(0, low - room) : low - room, high + room];
}
