// The kernel families of a device, one line each. With `family` in the address: the rows of that family.
import type {Family, Index, SpeedupPart, Speedups, UnlistedTable} from '../answers';
import {urls} from '../api';
import {Check, Controls} from '../components/controls';
import {DataTable} from '../components/data_table';
import {Empty, ViewHead, With} from '../components/view';
import {useContext} from '../context';
import {kExported} from '../exported/mode';
import {age, cellText, count, plural, targetParts, times} from '../format';
import {useFamilies, useIndex, withProducts} from '../known';
import {filtersOf, hrefOf, type Filters} from '../location';
import {now, said, useResource} from '../resource';
import {linesOf, sum, type Line} from './kernel_lines';
import {FamilyRows} from './kernel_rows';

const speedupsOf = ({target}: Line) => urls.speedups(targetParts(target));
const overDefault = (of: Speedups | undefined, {family}: Line): SpeedupPart['tuned_over_default'] | undefined => {
  const part = of?.by.family.find(({name}) => name === family)?.tuned_over_default;
  return part?.keys ? part : undefined;
};

// The speed-up on the line's own device. All lines of a device share one request.
function Speedup({of}: {of: Line}) {
  return <>{times(overDefault(useResource<Speedups>(speedupsOf(of)).data, of)?.geometric_mean)}</>;
}

function Table({of}: {of: Line}) {
  const href = urls.table(of.family, targetParts(of.target)), file = `${of.family}-${of.target.replace(':', '-')}.csv`;
  return (
    <>
      <a href={href} download={file} aria-label={`Download ${file}`}>Download</a>
      {' '}<a href={href} aria-label={`URL of ${file}`}>URL</a>
    </>
  );
}

function openText(lines: Line[]): string {
  const [unmeasured, baselines] = [sum(lines, (line) => line.unmeasured), sum(lines, (line) => line.baselines)];
  const open = [unmeasured > 0 && `${plural(unmeasured, 'row has', 'rows have')} no time`,
    baselines > 0 && `for ${plural(baselines, 'row')} only the default was measured`].filter(Boolean).join(', ');
  return open ? `${open}.` : 'Each row is tuned.';
}

const openOf = (value: number) => <span class={value > 0 ? 'warn' : 'faint'}>{count(value)}</span>;

function Lines({lines, all}: {lines: Line[]; all: boolean}) {
  const over = (line: Line) => overDefault(said<Speedups>(speedupsOf(line)), line);
  return (
    <>
      <DataTable caption="Kernel families" keyOf={(line) => `${line.family} ${line.target}`} columns={(is) => [
        is.wide('Family', (line) =>
          <>
            <a href={hrefOf('kernels', {family: line.family, ...(all && {device: line.target})})}>{line.title}</a>
            {' '}<span class="faint">{line.family}</span>
          </>, {by: (line) => line.title}),
        ...(all ? [is.name('Device', (line: Line) => withProducts(line.target))] : []),
        is.number('Rows', (line) => count(line.rows)),
        is.number('Default only', (line) => openOf(line.baselines), {by: (line) => line.baselines}),
        is.number('No time', (line) => openOf(line.unmeasured), {by: (line) => line.unmeasured}),
        is.number('Speed-up', (line) => <Speedup of={line} />,
          {by: (line) => over(line)?.geometric_mean}),
        is.number('Shapes compared', (line) => cellText(over(line) && count(over(line)!.keys))),
        is.text('Last change', (line) => <span class="time">{line.changed ? age(line.changed, now.value) : cellText('')}</span>,
          {by: (line) => line.changed}),
        is.text('CSV', (line) => <Table of={line} />, {by: () => ''}),
      ]} rows={lines} />
      <p class="legend">
        Default only: no other kernel was measured. Speed-up over the default: geometric mean of the shapes whose
        default was measured on the same device.
      </p>
    </>
  );
}

function Unlisted({tables}: {tables: UnlistedTable[]}) {
  if (tables.length === 0) return null;
  return (
    <details>
      <summary>{plural(tables.length, 'table')} that no family describes</summary>
      <p>The hub keeps these tables of imported trees line by line; lookups find only the exact shape.</p>
      <DataTable caption="Unlisted tables" rows={tables} columns={(is) => [
        is.name('Table', (table) => kExported ? table.table : <a href={urls.table(table.table, {})}>{table.table}</a>,
          {by: (table) => table.table}),
        is.wide('File', (table) => `aiter/configs/${table.path}`),
        is.number('Rows', (table) => count(table.rows)),
        is.text('One best row per shape', (table) => (table.competes ? 'yes' : 'no: nothing names its shape columns')),
      ]} />
    </details>
  );
}

const NoRows = () => (
  <Empty>
    <p><strong>The registry is empty.</strong> Import an AITER tree, or let an agent push its rows:</p>
    <pre>tunehub-agent import aiter/configs --hub {location.origin}</pre>
  </Empty>
);

function Families({index, families, filters}: {index: Index; families: Family[]; filters: Filters}) {
  const context = useContext();
  const all = filters.values['scope'] === 'all';
  if (!context) return null;
  if (index.families.every(({rows}) => rows === 0)) return <NoRows />;
  if (!all && context.target === '') return null;  // the frame says that the device is unknown
  const lines = linesOf(index, families, all ? '' : context.target);
  const where = all ? plural(new Set(lines.map(({target}) => target)).size, 'device') : withProducts(context.target);
  return (
    <>
      <p class="answer">
        <strong>{count(sum(lines, ({rows}) => rows))} rows</strong> of {plural(new Set(lines.map(({family}) => family)).size, 'kernel family', 'kernel families')} on {where}.
      </p>
      <Controls>
        <Check label="all devices" checked={all} onChange={(on) => filters.set({scope: on ? 'all' : ''})} />
        <span class="check faint">{openText(lines)}</span>
      </Controls>
      <Lines lines={lines} all={all} />
      <Unlisted tables={index.unlisted} />
    </>
  );
}

export function KernelsPlace() {
  const {family} = filtersOf('kernels', {family: ''}).values;
  const filters = filtersOf('kernels', {scope: ''});
  const index = useIndex(15_000), families = useFamilies();
  if (family) return <FamilyRows name={family} />;
  return (
    <>
      <ViewHead title="Kernels" filters={filters}>
        A family is one kind of operation with its own tuned table. Each row of it has a shape and the fastest known kernel.
      </ViewHead>
      <With of={index} what="the tables">
        {(index) =>
          <With of={families} what="the families">
            {({families}) => <Families index={index} families={families} filters={filters} />}
          </With>}
      </With>
    </>
  );
}
