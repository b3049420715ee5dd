// A model on a device over weeks: its coverage, the time of a token, and what happened.
import type {ModelTime, Trend, TrendEvent} from '../answers';
import {urls} from '../api';
import {DataTable} from '../components/data_table';
import {TimePlot} from '../components/time_plot';
import {kDayMs, type Mark} from '../components/time_stops';
import {Empty, With} from '../components/view';
import type {Context} from '../context';
import {capitalized, cellText, count, micros, moment, percent} from '../format';
import {engineText, kUsualEngine} from '../known';
import {hrefOf} from '../location';
import {questionOf, useModelMap} from '../model_map';
import {now, useResource} from '../resource';
import {alike, coveredText, eventText, timeText, type Phase} from './history_words';
import type {TabProps} from './model';

const kDays = 180;
const kPhases: Phase[] = ['decode', 'prefill'];

interface Dated {
  at: string;
  revision: number;
}

// Points with their times in ms, none before the shown days. A point leads to what changed since the point before it.
const placed = <T extends Dated>(points: T[], from: number) => points.map((point, i) => ({
  ...point,
  at: Math.max(Date.parse(point.at), from),
  href: i > 0 ? hrefOf('changes', {from: points[i - 1]!.revision, to: point.revision}) : undefined,
}));

const marksOf = (events: TrendEvent[], from: number): Mark[] => events.map((event) => ({
  at: Math.max(Date.parse(event.at), from), kind: event.kind, text: eventText(event),
  href: event.run ? hrefOf('changes', {run: event.run}) : undefined,
}));

// The hub keeps coverage over time only for its usual engine, the largest TP, and weights as the config says. It says
// nothing about another engine, so no other context shows it.
function Covered({of, trend, covered, at}: {of: Context; trend: Trend; covered: number | undefined; at: number}) {
  if (trend.now.covered === null) return <p class="answer">The hub keeps no coverage over time for this model here.</p>;
  const kept = {engine: kUsualEngine, tp: String(trend.now.tp), stored: 'config'};
  return (
    <p class="answer">
      {isKept(of, trend) ? covered !== undefined && coveredText(covered, alike(trend), at) : <>
        The hub keeps coverage over time only for{' '}
        <a href={hrefOf('model', {tab: 'history', ...kept})}>{engineText(kept.engine)} at TP {kept.tp}</a>, and weights as
        the config says.{of.values.engine !== 'any' && ` The times are for ${engineText(of.values.engine)} at TP ${of.values.tp}.`}
      </>}
    </p>
  );
}

const isKept = ({values: {engine, tp, stored}}: Context, {now}: Trend): boolean =>
  now.covered !== null && engine === kUsualEngine && stored === 'config' && String(now.tp) === tp;

function Coverage({trend, from, at}: {trend: Trend; from: number; at: number}) {
  const present = {...trend.now, at: new Date(at).toISOString(), revision: trend.revision};
  const points = placed([...alike(trend), present], from);
  return (
    <TimePlot title={`Coverage: ${engineText(kUsualEngine)} at TP ${trend.now.tp}`} summary="The share of the lookups that find a tuned row. Each doubling of M counts the same: neither time nor traffic weighs."
      unit="Covered" format={percent} points={points.map(({at, covered, href}) => ({at, href, value: covered}))}
      range={[0, topOf(points.map(({covered}) => covered ?? 0))]} from={from} marks={marksOf(trend.events, from)} />
  );
}

// The end of the axis, a quarter above the largest share.
const topOf = (shares: number[]): number => Math.min(1, Math.ceil(Math.max(0.1, ...shares) * 12.5) / 10);

function Times({time, from, at}: {time: ModelTime; from: number; at: number}) {
  const points = placed(time.points, from);
  return (
    <>
      {kPhases.map((name) => {
        const usual = time.default[name];
        const level = usual === null ? null : {value: usual, text: `default kernels: ${micros(usual)} us`};
        const title = `${capitalized(name)}, ${count(time.m[name])} tokens at once`;
        const summary = timeText(time, name, at);
        if (!points.some(({[name]: phase}) => phase)) return <Empty key={name}><p>{title}: {summary}</p></Empty>;
        return (
          <TimePlot key={name} title={title} summary={summary} unit="us a token" format={micros} from={from}
            marks={marksOf(time.events, from)} level={level} points={points.map(({at, href, [name]: phase}) =>
              ({at, href, value: phase?.us ?? null, low: phase?.low, high: phase?.high}))} />
        );
      })}
    </>
  );
}

const Events = ({of}: {of: TrendEvent[]}) => (
  <section>
    <h2>What happened</h2>
    {of.length === 0 ? <Empty><p>No import, revert or new toolchain in {kDays} days.</p></Empty> : (
      <DataTable caption="Imports, reverts and new toolchains" columns={(is) => [
        is.time('When (UTC)', ({at}) => moment(at)),
        is.name('What', (event) =>
          (event.run ? <a href={hrefOf('changes', {run: event.run})}>{eventText(event)}</a> : eventText(event))),
        is.text('Revision', ({revision}) => (revision === undefined ? cellText('')
          : <a href={hrefOf('changes', {from: revision - 1, to: revision})}>{revision}</a>)),
      ]} rows={[...of].reverse()} />
    )}
  </section>
);

export function HistoryTab({of}: TabProps) {
  const map = useModelMap(of), refused = map.data?.findings.some((it) => it.refused);  // the page's head says why
  const trend = useResource<Trend>(urls.trends({...of.parts, model: of.values.model, days: kDays}));
  const any = of.values.engine === 'any';
  const time = useResource<ModelTime>(any ? null : urls.modelTime({...questionOf(of), days: kDays}));
  const at = trend.at || now.peek();
  const dates = [...(trend.data?.points ?? []), ...(time.data?.points ?? [])].map((point) => Date.parse(point.at));
  const from = Math.max(at - kDays * kDayMs, Math.min(at - kDayMs, ...dates));
  return (
    <With of={trend} what="the coverage over time">
      {(trend) =>
        <>
          {!refused && <Covered of={of} trend={trend} covered={map.data?.coverage?.covered} at={at} />}
          <div class="plots">
            {!refused && isKept(of, trend) && <Coverage trend={trend} from={from} at={at} />}
            {any ? <Empty><p>Choose one engine to see the time of a token.</p></Empty>
              : <With of={time} what="the time of a token">{(time) => <Times time={time} from={from} at={at} />}</With>}
          </div>
          <Events of={trend.events} />
        </>}
    </With>
  );
}
