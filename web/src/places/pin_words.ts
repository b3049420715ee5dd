// The texts of the pin tab, except the sentence that comes from the server. Pure functions.
import type {Concern, Family, Row, Verdict, VerdictItem} from '../answers';
import {keyOf, shapeText} from '../family';
import {plural} from '../format';
import type {Kind} from './changes_rows';

// Sorted by harm, the most harmful first. `next`: what the user can do.
export const kConcerns: (Kind & {names: [Concern]; next: string})[] = [
  {names: ['missing'], title: 'missing', what: 'Shapes of the model without a row: AITER runs its default kernel.',
    next: 'Tune them: the tab "To tune" plans jobs.'},
  {names: ['unmeasured'], title: 'unmeasured',
    what: 'Shapes whose row has a time that nobody has measured: its kernel may be the wrong choice.',
    next: 'Measure them: tunehub-agent tune on this device.'},
  {names: ['borrowed'], title: 'borrowed',
    what: 'Shapes that get a row of another CU count, or with another value in a column that the lookup ignores.',
    next: 'Tune them on this device.'},
  {names: ['left_out'], title: 'left out',
    what: 'Rows that the table lacks, since the build cannot run their kernel and no other kernel was measured.',
    next: 'Take a build that has the kernels, or tune these shapes with your build.'},
  {names: ['substituted'], title: 'substituted',
    what: 'Rows with the best kernel that the build has, in place of a faster one that it lacks.',
    next: 'Nothing to do: they are measured and run.'},
  {names: ['needs_rebuild'], title: 'need a rebuild',
    what: 'Rows that take effect only after a module of AITER is built again.',
    next: 'Build the modules: tunehub-agent install DIR --hub HUB --rebuild.'},
];
export const kWithoutBuild = 3;  // the first concerns; the others are unknown until the user chooses a build

// The shape in a line of a list: the one that the model needs, or the row's own.
export function shapeOf(family: Family | undefined, item: VerdictItem): string {
  if (item.shape) return shapeText(family, item.shape);
  return family && item.row ? shapeText(family, keyOf(family, item.row)) : '';
}

export function kernelIn(row: Row | undefined): string {
  if (!row) return '';
  return Object.entries(row).filter(([name, value]) => /^kernelName/.test(name) && value)
    .map(([, value]) => String(value)).join(' + ');
}

// "wheel@0123456789ab": the first digits of the digest are enough to tell builds apart.
export const shortBuild = (build: string): string => build.replace(/@(.{12}).*$/, '@$1');

const kFolder = '/opt/tuned';
export const fetchCommand = (address: string): string =>
  `mkdir -p ${kFolder} && curl -fsS '${address}' | tar -xz -C ${kFolder}`;
export const kUseCommand = `. ${kFolder}/env.sh`;
export const checkCommand = (key: string): string =>
  `cd ${kFolder} && minisign -Vm SHA256SUMS -P ${key} && sha256sum -c SHA256SUMS`;
export const installCommand = (hub: string, gfx: string, key: string): string =>
  `tunehub-agent install /opt/aiter --hub ${hub} --gpu-archs ${gfx}${key && ` --trust ${key}`}`;

// The same address at another revision.
export const atPin = (address: string, pin: string): string =>
  address.replace(/([?&])revision=[^&]*/, `$1revision=${pin}`);

// "a8w8_blockscale (17,706 rows)" by how a model must be stored to read the table; only tables with rows.
export function storedChoices({families}: Verdict): {stored: string; tables: string}[] {
  const choices = families.filter(({judged, rows}) => !judged && rows > 0).flatMap(({family, rows, stored_as}) =>
    stored_as.map((stored) => ({stored, table: `${family} (${plural(rows, 'row')})`})));
  return [...new Set(choices.map(({stored}) => stored))].map((stored) =>
    ({stored, tables: choices.filter((one) => one.stored === stored).map(({table}) => table).join(', ')}));
}
