// What waits for agents, when it will be done, and how that was within a day.
import type {Queue, QueueOfTarget} from '../answers';
import {Chart} from '../components/plot';
import {DataTable} from '../components/data_table';
import {Empty} from '../components/view';
import {count, moment, plural, span} from '../format';
import {withProducts} from '../known';
import {now} from '../resource';

// The end of what waits, in words.
function emptyAt({shapes, seconds_to_empty: seconds}: QueueOfTarget): string {
  if (shapes === 0) return 'empty';
  if (seconds === null) return 'not known: nothing was done within a day';
  return `${moment(new Date(now.value + seconds * 1000).toISOString())}, in ${span(seconds)}`;
}

function sentenceOf(open: number[]): string {
  const last = open[open.length - 1] ?? 0;
  const most = Math.max(...open);
  return `${plural(last, 'job')} now, ${count(open[0] ?? 0)} a day ago, ${count(most)} at most between.`;
}

function Depth({open}: {open: number[]}) {
  const hours = open.map((jobs, i) => ({jobs, ago: open.length - 1 - i}));
  return (
    <Chart
      title="Jobs that are not done"
      summary={sentenceOf(open)}
      drawing={{
        kind: 'lines',
        x: hours.map((it) => -it.ago),
        xLabel: 'hours ago',
        yLabel: 'jobs',
        counts: true,
        xText: (value) => String(-value),
        series: [{label: 'not done', values: open, color: 1}],
      }}
      table={
        <DataTable
          caption="Jobs that are not done"
          titled
          columns={(is) => [is.number('Hours ago', (it) => it.ago), is.number('Jobs', (it) => count(it.jobs))]}
          rows={hours}
        />
      }
    />
  );
}

export function QueueState({queue}: {queue: Queue}) {
  if (queue.targets.length === 0) return <Empty><p>Nothing waits, and nothing was done within a day.</p></Empty>;
  return (
    <>
      <DataTable
        caption="What waits, by target"
        titled
        columns={(is) => [
          is.name('Target', withProducts),
          is.text('Empty at (UTC)', emptyAt),
          is.number('Shapes left', (it) => count(it.shapes)),
          is.number('Queued', (it) => count(it.queued)),
          is.number('Running', (it) => count(it.running)),
          is.number('Parked', (it) => count(it.parked)),
          is.number('Done in 24 h', (it) => `${plural(it.done.jobs, 'job')}, ${plural(it.done.shapes, 'shape')}`),
        ]}
        rows={queue.targets}
      />
      <p class="legend">
        Empty: shapes left, at the pace of those done within 24 hours, counted from when the first of them was handed
        out. Parked jobs wait for a person and are not in it.
      </p>
      <Depth open={queue.open_by_hour} />
    </>
  );
}
