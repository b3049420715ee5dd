// Replaces api.ts in an export's page: reads answers from the export's files.
import {urls as served, type Answer} from '../api';
import type {Row} from '../answers';
import {ProblemError} from '../problem';
import {addressOf, rowsOf, tableFile} from './files';
import {folderOf} from './paths';

export type {Answer} from '../api';

export interface ExportIndex {
  revision: number;
  created: string;
}

const kFolder = folderOf(location.pathname);

export const urls = {
  ...served,
  allRows: (family: string, query: Parameters<typeof served.rows>[1]) => served.rows(family, {...query, limit: Infinity}),
  table: (family: string, query: Parameters<typeof served.table>[1]) => kFolder + tableFile(family, query),
};

const read = new Map<string, Promise<unknown>>();

// A file never changes while the page is open. All files except the index are gzip, even if their host sends them as
// plain files.
function file<T>(name: string): Promise<T> {
  const known = read.get(name);
  if (known) return known as Promise<T>;
  const asked = fetch(kFolder + name).then((response) => {
    if (!response.ok) throw new ProblemError({kind: 'failed', status: response.status, code: 'no_file',
      detail: `${name} answered ${response.status}`});
    const text = name.endsWith('.gzip')
      ? new Response(response.body!.pipeThrough(new DecompressionStream('gzip'))) : response;
    return name.includes('.json') ? text.json() : text.text();
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
    detail: `This is a static export of revision ${revision}, made ${created.slice(0, 10)}. It does not contain ${path},`
      + ' which needs a server.',
  });
}

const answer = (data: unknown) => ({data, stale: false, next: {}});

async function find(path: string): Promise<Answer<unknown>> {
  const answers = await file<Record<string, string>>('data/answers.json.gzip');  // maps addresses to files
  const [name = '', text = ''] = path.split('?');
  const query = new URLSearchParams(text);
  const family = decodeURIComponent(/^\/rows\/(.+)$/.exec(name)?.[1] ?? '');
  if (family) {
    const rows = answers[name] ? await file<Row[]>(answers[name]) : [];
    return answer(rowsOf(family, (await readIndex()).revision, rows, query));
  }
  const found = answers[addressOf(path)];
  return found ? answer(await file(found)) : refuse(path);
}

export const get = <T>(path: string): Promise<Answer<T>> => find(path) as Promise<Answer<T>>;

// The page of an export has no button that writes.
const never = (): Promise<never> => refuse('a write');
export const planShape = never, planModel = never, revertRun = never, acceptRun = never, retryJob = never, lookAtKey = never, digestOf = never;
export const isThere = () => Promise.resolve(true);  // there is no server that could stop answering
