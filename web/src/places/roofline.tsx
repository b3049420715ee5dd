// The times of a model's matrix products below the roofline of the device.
import {useMemo} from 'preact/hooks';
import {DataTable} from '../components/data_table';
import {Plot} from '../components/uplot';
import {Empty, With} from '../components/view';
import type {Context} from '../context';
import {count, micros, percent, targetParts} from '../format';
import {hrefOf} from '../location';
import {useModelMap, type ModelMap} from '../model_map';
import {nameOf, shapeOf, shapeQuery} from './map_words';
import type {TabProps} from './model';
import {aboveText, meanText, summaryOf, tflopsText, timedOf, type Timed} from './roofline_dots';
import {drawingOf, legendOf} from './roofline_plot';

const hrefOfCell = (of: Context, map: ModelMap, {layer, i}: Timed): string =>
  hrefOf('shape', shapeQuery(map, layer, i, of.parts));

const Times = ({of, map, timed}: {of: Context; map: ModelMap; timed: Timed[]}) => (
  <DataTable caption="Times and rooflines" columns={(is) => [
    is.name('Layer', (it) => <a href={hrefOfCell(of, map, it)}>{it.layer.layer}</a>),
    is.number('M', ({m}) => count(m)),
    is.number('In a pass', ({layer}) => count(layer.count)),
    is.number('Time, us', ({us}) => micros(us)),
    is.number('Roofline, us', ({layer, i}) => micros(layer.roofline_us[i])),
    is.number('Share', ({share}) => percent(share)),
    is.number('Above the roofline, us', ({above}) => micros(above)),
    is.number('TFLOPS', tflopsText),
    is.name('Family', ({layer}) => <>{layer.family}<small>{shapeOf(layer)}</small></>),
  ]} rows={timed} />
);

function Roofline({of, map}: {of: Context; map: ModelMap}) {
  const timed = useMemo(() => timedOf(map), [map]), summary = summaryOf(timed), {worst} = summary;
  const drawing = useMemo(() => drawingOf(map, timed, (it) => hrefOfCell(of, map, it)), [map, of.values.against]);
  if (timed.length === 0) {
    return (
      <Empty>
        <p>
          No lookup of this model finds a measured time on {of.values.device}.{' '}
          <a href={hrefOf('model', {tab: 'tune'})}>To tune</a> lists the shapes.
        </p>
      </Empty>
    );
  }
  return (
    <>
      <p class="answer">
        {worst ? <>
          Furthest above the roofline: <a href={hrefOfCell(of, map, worst)}>{nameOf(map, worst.layer)}</a> at M{' '}
          {count(worst.m)}, {aboveText(worst)}
        </> : `The peak rates of ${of.values.device} are not known, so there is no roofline.`}
      </p>
      {worst && <p class="lead">{of.values.device}: {meanText(summary)}.</p>}
      <Plot title={`TFLOPS by M on ${map.product ?? of.values.device}`} of={drawing} version={drawing}
        summary="A dot is a lookup whose own M was measured. Its area is the time above the roofline."
        legend={legendOf(map).map(({family, color}) => <span key={family}><i class={color} />{family}</span>)}
        table={<Times of={of} map={map} timed={timed} />} />
      <details class="formula">
        <summary>How these are computed</summary>
        <p>
          TFLOPS: the products' floating-point operations over the time of the row that answers. The average share
          weights each layer by its operations per token, and each M alike. Time above the roofline: the products in one
          forward pass, times time minus roofline. A share above 100 % means that a measurement found its inputs in a
          cache.
        </p>
      </details>
    </>
  );
}

// The same means on the second device.
function Against({of}: {of: Context}) {
  const parts = targetParts(of.againstTarget);
  const map = useModelMap({...of, product: of.againstProduct, target: of.againstTarget, parts});
  const summary = map.data && summaryOf(timedOf(map.data));
  if (!summary?.worst) return null;
  return <p class="lead">{of.values.against}: {meanText(summary)}.</p>;
}

export function RooflineTab({of}: TabProps) {
  const map = useModelMap(of);
  return (
    <>
      <With of={map} what="the times">{(map) => <Roofline of={of} map={map} />}</With>
      {of.values.against && of.values.against !== of.values.device && <Against of={of} />}
    </>
  );
}
