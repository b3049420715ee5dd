// The texts of the pin tab, except the sentence that comes from the server. Pure functions.
import type {Concern, Family, Row, Verdict, VerdictItem} from '../answers';
import {keyOf, shapeText} from '../family';
import {count, plural, targetName} from '../format';
import type {Kind} from './changes_rows';

// Sorted by harm, the most harmful first. `next`: what the user can do.
export const kConcerns: (Kind & {names: [Concern]; next: string})[] = [
  {names: ['missing'], title: 'missing', what: 'Shapes of the model without a row: AITER runs its default kernel, as it does without this pin.',
    next: 'Tune them: the tab "To tune" plans jobs.'},
  {names: ['unmeasured'], title: 'without a measured time',
    what: 'Shapes whose row has no measured time: its kernel may be the wrong choice.',
    next: 'Measure them: tunehub-agent tune on this device.'},
  {names: ['borrowed'], title: 'with a row of another device',
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
// With a digest, nothing is unpacked before the archive is checked.
export const fetchCommand = (address: string, digest = ''): string => (digest === ''
  ? `mkdir -p ${kFolder} && curl -fsS '${address}' | tar -xz -C ${kFolder}`
  : `mkdir -p ${kFolder} && cd ${kFolder} && curl -fsSo tuned.tgz '${address}' && echo '${digest}  tuned.tgz' | sha256sum -c && tar -xzf tuned.tgz`);
// Only bash tells env.sh its folder.
export const kUseCommand = `TUNEHUB_BUNDLE=${kFolder}; . ${kFolder}/env.sh`;
export const checkCommand = (key: string): string =>
  `cd ${kFolder} && ${key && `minisign -Vm SHA256SUMS -P ${key} && `}sha256sum -c SHA256SUMS`;
export const installCommand = (hub: string, gfx: string, key: string): string =>
  `tunehub-agent install /opt/aiter --hub ${hub} --gpu-archs ${gfx}${key && ` --trust ${key}`}`;

// The lines for a Dockerfile: the pinned archive, checked by its digest, and the variables that its env.sh sets.
export const dockerLines = (address: string, digest: string, {families}: Verdict): string => [
  `RUN ${fetchCommand(address, digest)}`,
  ...families.filter(({sha256}) => sha256).map(({env, file}) => `ENV ${env}=${kFolder}/aiter/configs/${file}`)].join('\n');

// For the folder that docs/recipes/aiter.Dockerfile describes. With PIN its build fails once the hub has a newer revision.
export const recipeCommand = (hub: string, {pin, gfx}: Verdict): string =>
  `docker build -f docs/recipes/aiter.Dockerfile --build-arg BASE=YOUR/AITER:TAG --build-arg HUB=${hub} --build-arg PIN=${pin} ` +
  `--build-arg GPU_ARCHS=${gfx} --secret id=tunehub_key,src=tunehub.key -t aiter-tuned .`;

// The API says not_safe of missing shapes, too, but they cost nothing. `tone`: a class of the style sheet.
export function saidOf({verdict, sentence, counts, model, tp, build, notes}: Verdict): {text: string; tone: string} {
  const {asked, missing, unmeasured} = counts, of = `of ${plural(asked, 'shape')} that ${model} at TP ${tp} needs`;
  const have = asked - missing - unmeasured, usual = "AITER's default kernel runs, with this pin or without it";
  if (verdict !== 'not_safe') return {text: sentence.replace(/(?<=\.) .*/, ''), tone: verdict};
  if (unmeasured > 0) {
    return {tone: 'not_safe', text: `Measure first: ${of}, ${count(unmeasured)} would get a kernel that nobody measured, ` +
      `which may be slower than the default. ${missing > 0 ? `For ${count(missing)} without a row ${usual}. ` : ''}` +
      `${count(have)} have a measured row.`};
  }
  if (have === 0) return {tone: 'no_gain', text: `No gain, no loss: ${of}, none has a row, so ${usual}.`};
  return {tone: 'with_gaps', text: `${build && notes.length === 0 ? 'Safe to pin, with gaps' : 'With gaps'}: ${of}, ` +
    `${count(have)} have a measured row. For the other ${count(missing)} ${usual}.`};
}

// The revisions and devices in a lock file, each once. Its text has passed hasTables.
export function lockedIn(text: string): {revisions: number[]; targets: string[]} {
  const {tables} = JSON.parse(text) as {tables: {revision?: number; query?: string}[]};
  const targets = tables.map(({query}) => new URLSearchParams(query))
    .map((of) => targetName({gfx: of.get('gfx') ?? '', cu_num: Number(of.get('cu_num'))})).filter(Boolean);
  return {revisions: [...new Set(tables.flatMap(({revision}) => revision ?? []))], targets: [...new Set(targets)]};
}

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
