// The lines of a shape key's forest plot. Pure functions.
import type {Compared, Measurement} from '../answers';
import type {Range} from '../components/plot_scale';
import {foldsOf} from '../components/table_rows';
import {micros} from '../format';
import {candidateText, intervalOf, intervalText, rivalsOf} from './shape_story';

const kMost = 12;  // lines

export interface ForestLine {
  us: number;
  interval: [number, number] | null;  // null: infinite, because the clocks were not steady
  hollow: boolean;  // without samples
  class: string;
  label: string;  // the time, then the columns in which the candidates differ
  spoken: string;  // the same with the whole candidate
}

type Timed = Measurement & {compared_by: Compared};

// The name without the parts that it shares with others.
function shortened(name: string, folds: ReturnType<typeof foldsOf>): string {
  const {head, tail} = folds.get(name) ?? {head: 0, tail: 0};
  return `${head > 0 ? '\u2026' : ''}${name.slice(head, name.length - tail)}${tail > 0 ? '\u2026' : ''}`;
}

function lineOf(of: Timed, all: Timed[], folds: ReturnType<typeof foldsOf>): ForestLine {
  const by = of.compared_by, hollow = by.low === null && by.steady;
  const differing = Object.entries(of.candidate)
    .filter(([name, value]) => value !== '' && all.some(({candidate}) => candidate[name] !== value));
  const remarks = [of.won && 'served', of.is_default && 'default', hollow && 'no samples: \u00b15 %',
    of.standing === 'unconfirmed' && 'unconfirmed'].filter(Boolean).join(', ');
  const within = intervalText({evidence: of.evidence, low: by.low, high: by.high});
  const time = `${micros(by.us)} us${within && ` (${within})`}${remarks && `, ${remarks}`}`;
  return {
    us: by.us, interval: intervalOf(by), hollow, label:
      `${time}: ${differing.map(([name, value]) => `${name} ${shortened(value, folds)}`).join(', ')}`,
    class: of.won ? 'series-1' : of.is_default ? 'series-2' : 'series-3', spoken: `${time}: ${candidateText(of)}`,
  };
}

// The served row first, then its rivals and the unconfirmed rows by time. The default always has a line.
export function forestOf(measurements: Measurement[], winner: Measurement) {
  const waiting = measurements.filter((one) => one.standing === 'unconfirmed' && one.provider === winner.provider);
  const isTimed = (one: Measurement): one is Timed => one.compared_by !== null && one.compared_by.us > 0;
  const others = [...rivalsOf(measurements, winner), ...waiting].filter(isTimed);
  others.sort((a, b) => a.compared_by.us - b.compared_by.us);
  const all = isTimed(winner) ? [winner, ...others] : [];
  const place = all.findIndex(({is_default}) => is_default);
  const shown = place < kMost ? all.slice(0, kMost) : [...all.slice(0, kMost - 1), ...all.slice(place, place + 1)];
  const folds = foldsOf(shown.flatMap(({candidate}) => Object.values(candidate)));
  const lines = shown.map((one) => lineOf(one, shown, folds));
  const ends = lines.flatMap(({us, interval}) => interval ?? [us]);
  return {lines, more: all.length - shown.length, range: [Math.min(...ends), Math.max(...ends)] as Range};
}
