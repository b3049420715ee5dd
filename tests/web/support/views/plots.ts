// The expected tables and texts of a model's Roofline and History, made from GET /map, /trends and /model-time.
import {expect} from 'vitest';
import type {Asking, Seen, ViewTable} from '../look';
import {kDash, kMinus, many, moment, number, ratio, share, sum, target, us} from '../looks';
import {pairOf, type Of} from './models';

const kDay = 86_400_000, kDays = 180;

interface Timed {
  layer: any;
  m: number;
  us: number;
  roof: number | null;
  above: number | null;
}

const timedOf = (map: any): Timed[] => map.layers.flatMap((layer: any) => layer.at.flatMap((at: number, i: number) => {
  const time = layer.us[i], roof = layer.roofline_us[i];
  return time === null || layer.row_m[i] !== map.m[at] ? [] : [{layer, m: map.m[at], us: time, roof, above: roof === null ? null : layer.count * (time - roof)}];
})).sort((a: Timed, b: Timed) => (b.above ?? -Infinity) - (a.above ?? -Infinity));

const aboveText = (it: Timed): string => `${number(it.layer.count)} \u00d7 ${us(it.above! / it.layer.count)} us above it, ${ratio(it.us / it.roof!)} the roofline's time`;
const tflops = (it: Timed): string => number(Number(((it.layer.flops / it.layer.count) * it.m / it.us / 1e6).toPrecision(3)));

async function roofline({ask, index}: Asking, model: string, to: Of): Promise<Seen> {
  const [product] = index.products[target(to)]?.split(' / ') ?? [], device = product ?? target(to);
  const map = await ask(`/map?model=${model}&tp=8&gfx=${to.gfx}&cu_num=${to.cu_num}${product ? `&product=${product}` : ''}`);
  const timed = timedOf(map), path = `/ui/model?model=${model}&device=${device}&tp=8&tab=roofline`;
  if (timed.length === 0) return {path, tables: {}, texts: {'main .empty p': [`No lookup of this model finds a measured time on ${device}. To tune lists the shapes.`]}};
  const known = timed.filter(({above}) => above !== null), [worst] = known;
  const mean = sum(known.map((it) => it.layer.flops * it.roof! / it.us)) / sum(known.map((it) => it.layer.flops)), above = sum(known.map((it) => it.above!)) / sum(known.map((it) => it.layer.count * it.us));
  return {
    path,
    tables: {'Times and rooflines': {rows: timed.slice(0, 50).map((it) => [it.layer.layer, number(it.m), number(it.layer.count), us(it.us), us(it.roof), it.roof === null ? kDash : share(it.roof / it.us), us(it.above), tflops(it), it.layer.family + Object.entries(it.layer.columns as Record<string, string>).map(([name, value]) => `${name} ${String(value).replace(/^[A-Za-z]\w*\.(?=[A-Za-z]\w*$)/, '')}`).join(', ')]), of: timed.length}},
    texts: worst ? {
      'main .answer': [`Furthest above the roofline: ${worst.layer.layer} at M ${number(worst.m)}, ${aboveText(worst)}`],
      'main .answer + .lead': [`${device}: ${share(mean)} of the roofline on average; ${share(above)} of the total time is above the roofline.`],
    } : {'main .answer': [`The peak rates of ${device} are not known, so there is no roofline.`]},
  };
}

const dayText = (ms: number): string => new Date(ms).toLocaleDateString('en-GB', {day: 'numeric', month: 'short', timeZone: 'UTC'});

// The last point that is at least 30 days old, or else the first one.
function thenOf(points: any[], now: number): {point: any; when: string} {
  const month = points.findLast((it) => Date.parse(it.at) <= now - 30 * kDay), point = month ?? points[0];
  return {point, when: month ? '30 days ago' : point && `on ${dayText(Date.parse(point.at))}`};
}

function coveredText(covered: number, points: any[], now: number): string {
  const {point, when} = thenOf(points, now);
  if (typeof point?.covered !== 'number') return `Covered now ${share(covered)}. The hub has no earlier point: it makes one after imports and at each day's end.`;
  const change = Math.round(covered * 100) - Math.round(point.covered * 100), sign = change > 0 ? '+' : kMinus;
  return `Covered now ${share(covered)}, ${when} ${share(point.covered)}: ${change === 0 ? 'unchanged' : `${sign}${Math.abs(change)} points`}.${when === '30 days ago' ? '' : ` The first point is of ${when.slice(3)}.`}`;
}

function timeText(of: any, phase: 'decode' | 'prefill', now: number): string {
  const last = of.points.at(-1)[phase], timed = of.points.filter((it: any) => it[phase]), usual = of.default[phase];
  if (of.timed_in[phase] === 0) return `No layer has a measured time at M ${number(of.m[phase])}.`;
  if (!last) return `No time yet: one of the ${of.timed_in[phase]} layers has no measured row now.`;
  const {point, when} = thenOf(timed, now), change = (last.us / point[phase].us - 1) * 100;
  const size = Math.abs(change).toFixed(1), past = timed.length > 1 ? `, ${us(point[phase].us)} ${when}: ${size === '0.0' ? 'unchanged' : `${change < 0 ? kMinus : '+'}${size} %`}` : '';
  return `${us(last.us)} us a token now${past}; by ${of.timed_in[phase]} of ${many(of.layers, 'layer')}.${usual === null ? '' : ` The default kernels take ${us(usual)} us.`}`;
}

async function history({ask, now}: Asking, model: string, to: Of): Promise<Seen> {
  const asked = `model=${model}&gfx=${to.gfx}&cu_num=${to.cu_num}`;
  const [trend, time, {coverage, findings}] = [await ask(`/trends?${asked}&days=${kDays}`), await ask(`/model-time?${asked}&tp=8&days=${kDays}`), await ask(`/map?${asked}&tp=8`)];
  const path = `/ui/model?model=${model}&device=${target(to)}&tp=8&tab=history`, alike = trend.points.filter((it: any) => it.tp === trend.now.tp);
  const isKept = trend.now.tp === 8, refused = findings.some((it: any) => it.refused);  // a model that does not start is not covered
  const titleOf = (phase: string) => `${phase[0]!.toUpperCase()}${phase.slice(1)}, ${number(time.m[phase])} tokens at once`;
  const phases = (['decode', 'prefill'] as const).map((phase) => ({phase, title: titleOf(phase), text: timeText(time, phase, now), shown: time.points.some((it: any) => it[phase])}));
  const rows = (points: any[], cells: (it: any) => string[]) => points.map((it) => [expect.any(String), ...cells(it)]).reverse();
  const events = [...trend.events].reverse().map((it: any) => [moment(it.at), it.kind === 'toolchain' || it.text.startsWith(it.kind) ? it.text : `${it.kind}: ${it.text}`, it.revision === undefined ? kDash : String(it.revision)]);
  return {
    path,
    tables: {
      ...(isKept && !refused && {'Coverage: vLLM at TP 8': rows([...alike, {...trend.now, revision: trend.revision}], (it) => [share(it.covered)])}),
      ...Object.fromEntries(phases.filter(({shown}) => shown).map(({phase, title}) => [title, rows(time.points, (it) => [us(it[phase]?.us), ...(time.points.some((one: any) => (one[phase]?.low ?? null) !== null) ? [us(it[phase]?.low), us(it[phase]?.high)] : [])])])),
      ...(events.length > 0 && {'Imports, reverts and new toolchains': events}),
    },
    texts: {
      'main .answer': refused ? [] : [isKept ? coveredText(coverage.covered, alike, now) : `The hub keeps coverage over time only for vLLM at TP ${trend.now.tp}, and weights as the config says. The times are for vLLM at TP 8.`],
      '.plots > .with figcaption p': phases.filter(({shown}) => shown).map(({text}) => text),
    },
  };
}

const seenOf = (view: typeof history) => async (it: Asking): Promise<Seen[]> => {
  const pairs = [await pairOf(it), await pairOf(it)];
  return Promise.all(pairs.map(({model, to}) => view(it, model, to)));
};

export const kPlotViews: ViewTable = {roofline: seenOf(roofline), history: seenOf(history)};
