// Replaces api.ts in an export's page: answers come from the export's files.
import {urls as served, type Answer} from '../api';
import type {Run} from '../answers';
import {ProblemError} from '../problem';
import {addressOf, changesOf, missingFile, rowsOf, runsOf, tableFile, type Listed, type RowFile} from './files';
import {folderOf} from './paths';

export type {Answer} from '../api';

export interface ExportIndex {
  revision: number;
  created: string;
}

const kFolder = folderOf(location.pathname);

export const urls = {
  ...served,
  table: (family: string, query: Parameters<typeof served.table>[1]) => kFolder + tableFile(family, query),
  coverage: (query: Parameters<typeof served.coverage>[0]) =>
    (query['format'] === 'csv' ? kFolder + missingFile(query) : served.coverage(query)),
};

const read = new Map<string, Promise<unknown>>();

// A file never changes while the page is open.
function file<T>(name: string): Promise<T> {
  const known = read.get(name);
  if (known) return known as Promise<T>;
  const asked = fetch(kFolder + name).then((response) => {
    if (!response.ok) throw new ProblemError({kind: 'failed', status: response.status, code: 'no_file',
      detail: `${name} answered ${response.status}`});
    return name.endsWith('.json') ? response.json() : response.text();
  });
  read.set(name, asked);
  asked.catch(() => read.delete(name));
  return asked as Promise<T>;
}

export const readIndex = () => file<ExportIndex>('index.json');

async function refuse(path: string): Promise<never> {
  const {revision, created} = await readIndex();
  throw new ProblemError({
    kind: 'failed',
    status: 404,
    code: 'static_export',
    detail: `This is a static export of revision ${revision}, made ${created.slice(0, 10)}: ${path} was not asked for`
      + ' when it was made, and needs a server.',
  });
}

const answer = (data: unknown, next: Record<string, string> = {}) => ({data, stale: false, next});

async function find(path: string): Promise<Answer<unknown>> {
  if (path.startsWith(kFolder) && path.endsWith('.csv')) return answer(await file(path.slice(kFolder.length)));
  const {answers, rows} = await file<Listed>('data/answers.json');
  const listed = (address: string) => file<any>(answers[address] ?? address);
  const [name = '', text = ''] = path.split('?');
  const query = new URLSearchParams(text);
  const family = decodeURIComponent(/^\/rows\/(.+)$/.exec(name)?.[1] ?? '');
  if (family) {
    const files = await Promise.all((rows[family] ?? []).map((one) => file<RowFile>(one)));
    return answer(rowsOf(family, (await readIndex()).revision, files, query));
  }
  if (name === '/changes') return answer(changesOf((await listed('/revisions')).revisions));
  if (name === '/runs') {
    const {data, before} = runsOf<Run>((await listed('/runs')).runs, query);
    return answer(data, before ? {before} : {});
  }
  const found = answers[addressOf(path)];
  return found ? answer(await file(found)) : refuse(path);
}

export const get = <T>(path: string): Promise<Answer<T>> => find(path) as Promise<Answer<T>>;

// The page has no button that writes.
const never = (): Promise<never> => refuse('a write');
export const planShape = never, planModel = never, revertRun = never, retryJob = never, lookAtKey = never;
export const isThere = () => Promise.resolve(true);  // no server that could stop answering
