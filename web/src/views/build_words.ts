// The texts of a build's page, except the sentence that comes from the server. Pure functions.
import type {Concern, Family, Row, Verdict, VerdictItem} from '../answers';
import {keyOf, shapeText} from '../family';

interface Said {
  name: Concern;
  title: string;
  what: string;  // what the line means
  next: string;  // what the user can do
}

// Sorted by harm, the most harmful first.
export const kConcerns: Said[] = [
  {name: 'missing', title: 'missing',
    what: 'Shapes that the model asks for and no row answers: AITER runs its default kernel.',
    next: 'Tune them: Coverage has them as a CSV for tunehub-agent tune.'},
  {name: 'unmeasured', title: 'unmeasured',
    what: 'Shapes whose row has a time that nobody has measured: its kernel may be the wrong choice.',
    next: 'Measure them: tunehub-agent tune on this GPU.'},
  {name: 'left_out', title: 'left out',
    what: 'Rows that are not in the table, since the build cannot run their kernel and no other was measured.',
    next: 'Take a build that has the kernels, or tune these shapes with the build that you have.'},
  {name: 'substituted', title: 'substituted',
    what: 'Rows with the best kernel that the build has, in place of a faster one that it lacks.',
    next: 'Nothing must be done: they are measured and run.'},
  {name: 'needs_rebuild', title: 'need a rebuild',
    what: 'Rows that have effect only when a module of AITER is built again; where AITER would raise until then, they'
      + ' are not in the table.',
    next: 'tunehub-agent install DIR --hub HUB --rebuild builds the modules again.'},
  {name: 'borrowed', title: 'borrowed',
    what: 'Shapes for which the lookup takes a row of another CU count, or with another value in a column that it'
      + ' ignores.',
    next: 'Tune them on this GPU.'},
];

// Concerns that are unknown until the user chooses a build.
export const kOfBuild: Concern[] = ['left_out', 'substituted', 'needs_rebuild'];

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

// Shell commands that fetch the tables and tell AITER where they are.
export function commandsOf({families}: Verdict, address: string, family: string): {label: string; text: string}[] {
  const one = families.find((table) => table.family === family);
  if (one) {
    return [
      {label: 'fetch the table', text: `curl -fsS --compressed '${address}' -o /opt/tuned/${one.file}`},
      {label: 'tell AITER', text: `export ${one.env}=/opt/tuned/${one.file}`},
    ];
  }
  return [
    {label: 'fetch the tables', text: `mkdir -p /opt/tuned && curl -fsS '${address}' | tar -xz -C /opt/tuned`},
    {label: 'tell AITER', text: '. /opt/tuned/env.sh'},
  ];
}

// The same address at another revision.
export const atPin = (address: string, pin: string): string =>
  address.replace(/([?&])revision=[^&]*/, `$1revision=${pin}`);
