// An answer about changes: counts by kind, the rows with one scale for all small plots, and the revisions behind them.
import type {Difference, Differences} from '../answers';
import {DataTable, PageLinks, type Columns} from '../components/data_table';
import {Empty} from '../components/view';
import {shapeText} from '../family';
import {cellText, count, micros, microsShort, targetName} from '../format';
import {useFamilies, withProducts} from '../known';
import {hrefOf} from '../location';
import {addedText, changeText, kindText, kKinds, ratioOf, scaleOf, type Kind} from './changes_rows';

interface KindsProps {
  label?: string;
  kinds?: Kind[];
  counts: Record<string, number>;
  notes?: Record<string, string>;  // by kind
  chosen?: string;
  href: (kind: string) => string;
}

const kAlways = 4;  // the first kinds are shown even if there is none

// The picture of an answer: a bar for each kind, which is also its filter.
export function Kinds({label = 'Kinds of changes', kinds = kKinds, counts, notes, chosen, href}: KindsProps) {
  const shown = kinds.flatMap(({names, title, what}, i) => {
    const name = names.find((one) => counts[one] !== undefined), number = counts[name ?? ''] ?? 0;
    return name && (i < kAlways || number > 0) ? [{name, title, what, number}] : [];
  });
  const most = Math.max(...shown.map(({number}) => number));
  return most > 0 && (
    <nav class="kinds" aria-label={label}>
      {shown.map(({name, title, what, number}) =>
        <a key={name} class={number === 0 ? 'none' : name} title={what} href={href(name === chosen ? '' : name)}
          aria-current={name === chosen ? 'true' : undefined}>
          <strong>{count(number)}</strong> <span>{title}</span> <i style={{inlineSize: `${(100 * number) / most}%`}} />
          <small>{notes?.[name]}</small>
        </a>)}
    </nav>
  );
}

const kWidth = 96, kHeight = 16, kMiddle = kWidth / 2;

// A bar from the time before to the time after, on a logarithmic scale, with dots for still earlier times.
function Change({of, scale}: {of: Difference; scale: number}) {
  const ratio = ratioOf(of), before = of.before?.us, times = of.history.flatMap(({us}) => us ?? []);
  if (!ratio || !before) return <span class="faint">{kindText(of.kind)}</span>;
  const at = (value: number) =>
    kMiddle + Math.max(-1, Math.min(1, Math.log(value) / Math.log(scale))) * (kMiddle - 3);
  return (
    <span class="change">
      {changeText(ratio)}
      <svg width={kWidth} height={kHeight} viewBox={`0 0 ${kWidth} ${kHeight}`} role="img"
        aria-label={`times: ${times.map(microsShort).join(', ')} us`}>
        <line x1={kMiddle} x2={kMiddle} y1="0" y2={kHeight} />
        <rect x={Math.min(kMiddle, at(ratio))} width={Math.abs(at(ratio) - kMiddle)} y="5" height="6" />
        {times.map((us, i) => <circle key={i} cx={at(us / before)} cy={kHeight / 2} r="2" />)}
      </svg>
    </span>
  );
}

interface FoundProps {
  of: {
    counts: Record<string, number>;
    notes: Record<string, string>;
    limits: Record<string, number>;
    rows: Difference[];
    matching: number;
  };
  filters: {values: {kind: string; sort: string; page: string}; href(to: object): string; set(to: object): void};
  compared?: boolean;  // the measurements of runs, which have neither calls nor revisions
}

export function FoundChanges({of, filters, compared}: FoundProps) {
  const families = useFamilies().data?.families ?? [];
  const {kind, sort} = filters.values, scale = scaleOf(of.rows);
  const {ratio = 1, slack_us: slack, ignore_below_us: floor} = of.limits;
  const columns: Columns<Difference> = (is) => [
    is.name('Shape', ({key, family}) =>
      <a href={hrefOf('shape', {family, ...key})}>{shapeText(families.find(({name}) => name === family), key)}</a>),
    is.number('Change', (row) => <Change of={row} scale={scale} />, {id: 'ratio'}),
    is.number('Before, us', ({before}) => micros(before?.us), {id: 'before'}),
    is.number('After, us', ({after}) => micros(after?.us), {id: 'after'}),
    ...(compared ? [] : [is.number('Added time, us', ({lost_us, demand}: Difference) =>
      <>{addedText(lost_us)}{demand > 1 && <small>{count(demand)} calls</small>}</>, {id: 'lost'})]),
    is.name('Family', ({family}) => family, compared ? {} : {id: 'family'}),
    is.name('Device', (row) => <span title={targetName(row)}>{withProducts(row).replace(/ \(.*/, '')}</span>,
      {id: 'target'}),
    ...(compared ? [] : [is.number('Revision', ({revision, run}: Difference) =>
      (run ? <a href={hrefOf('changes', {run})}>{count(revision)}</a> : count(revision)), {id: 'revision'})]),
    is.kernel('Kernel',
      ({before, after}) => [cellText(after?.kernel || before?.kernel),
        after?.kernel && before?.kernel && after.kernel !== before.kernel && <small>before: {before.kernel}</small>]),
  ];
  return (
    <>
      <Kinds {...of} chosen={kind} href={(kind) => filters.href({kind, sort: ''})} />
      {of.matching > 0 ? (
        <>
          <DataTable caption="What changed" columns={columns} rows={of.rows} rowClass={(row) => row.kind}
            sort={sort || (compared ? '' : '-lost')} onSort={(by) => filters.set({sort: by})} />
          <PageLinks caption="Pages: What changed" filters={filters} of={of.matching} shown={of.rows.length} />
        </>
      ) : kind !== '' &&
        <Empty><p>No shape is {kindText(kind)}. <a href={filters.href({kind: ''})}>All kinds</a></p></Empty>}
      <p class="legend">
        <span>Noise: up to {((ratio - 1) * 100).toFixed(1)} % and {slack} us. Floor: {floor} us.</span>
        {of.matching > 0 &&
          <span>One scale for all bars: time before in the middle, {scale}&times; faster and slower at the ends.</span>}
        {of.matching > 0 && !compared &&
          <span>Added time: (after minus before) &times; calls that missed the shape.</span>}
      </p>
    </>
  );
}

export const Causes = ({of}: {of: Differences}) => of.revisions.length > 0 && (
  <section>
    <h2>Changed by {count(of.revision_count)} {of.revision_count === 1 ? 'revision' : 'revisions'}</h2>
    <DataTable caption="Revisions that changed the most shapes" columns={(is) => [
      is.number('Revision', ({revision}) => count(revision)),
      is.wide('Cause', ({cause}) => cause),
      is.number('Run', ({run}) => (run ? <a href={hrefOf('changes', {run})}>{run}</a> : cellText(''))),
      is.number('Shapes', ({keys}) => count(keys)),
    ]} rows={of.revisions} />
  </section>
);
