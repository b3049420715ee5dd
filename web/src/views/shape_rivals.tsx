// What a winner beat: the second, the default, and how its time is measured again.
import type {Family, Measurement, Run, Shape} from '../answers';
import {urls} from '../api';
import {CopyLine} from '../components/buttons';
import {hrefOf, type Values} from '../location';
import {micros, times} from '../format';
import {againOf, candidateText, defaultOf, secondOf, spreadOf} from './shape_story';

function Rival({title, it, winner, none}: {title: string; it: Measurement | undefined; winner: Measurement; none: string}) {
  return (
    <>
      <dt>{title}</dt>
      <dd>
        {it ? (
          <>
            <span class="figure">{micros(it.us)}</span> us{it.us && winner.us ? `, ${times(it.us / winner.us)} the winner's` : ''}; run <a href={hrefOf('runs', {run: it.run})}>{it.run}</a>
            <small>{candidateText(it)}</small>
          </>
        ) : none}
      </dd>
    </>
  );
}

export function Rivals({shape, winner}: {shape: Shape; winner: Measurement}) {
  return (
    <dl class="facts rivals">
      <Rival title="Second" it={secondOf(shape.measurements, winner)} winner={winner} none="nothing else competes" />
      {!winner.baseline && <Rival title="Default" it={defaultOf(shape.measurements, winner)} winner={winner} none="not measured: what tuning brought is not known" />}
    </dl>
  );
}

// Only of what is known to have been measured by a program that can do it again.
export function Again({family, at, winner, run}: {family: Family; at: Values; winner: Measurement; run: Run | undefined}) {
  const command = run && againOf(family.name, at, winner, run);
  if (!command) return null;
  const address = location.origin + urls.table(family.name, {...at, provider: winner.provider});
  return (
    <section>
      <h2>Measure it again</h2>
      <CopyLine label="fetch its row" text={`curl -fsS --compressed '${address}' -o row.csv`} />
      <CopyLine label="measure it" text={command} />
      {run.provenance['arguments'] && <p class="lead">Its run was made with <code>{String(run.provenance['arguments'])}</code>.</p>}
    </section>
  );
}

const kWidth = 180, kHeight = 18, kEdge = 5;

// Every sample of a measurement as a dot, its time as a larger one, all rows of a key on one scale.
export function Spread({of, scale}: {of: Measurement; scale: [number, number] | null}) {
  const {samples, text} = spreadOf(of);
  if (!scale || !of.us) return null;  // 0 has no place on a scale of logarithms
  const [low, high] = scale.map(Math.log) as [number, number];
  const x = (us: number) => (high > low ? kEdge + ((Math.log(us) - low) / (high - low)) * (kWidth - 2 * kEdge) : kWidth / 2);
  return (
    <svg class={of.won ? 'dots won' : of.is_default ? 'dots default' : 'dots'} width={kWidth} height={kHeight} viewBox={`0 0 ${kWidth} ${kHeight}`} role="img" aria-label={text}>
      <line x1={kEdge} x2={kWidth - kEdge} y1={kHeight / 2} y2={kHeight / 2} />
      {samples.map((us, i) => <circle key={i} class="sample" cx={x(us)} cy={kHeight / 2} r="2.5" />)}
      <circle cx={x(of.us)} cy={kHeight / 2} r="4" />
    </svg>
  );
}
