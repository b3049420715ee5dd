// Examples of the answers of a real hub. `node examples.mjs` writes them into server/openapi.json; the test compares them.
import {spawnSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {pathToFileURL} from 'node:url';
import {startHub} from './hub.mjs';
import {requests} from './requests.mjs';

export const kDocument = new URL('../../server/openapi.json', import.meta.url);
const kMethods = ['get', 'post', 'put', 'delete'];

export function* operationsOf(document) {
  for (const [route, item] of Object.entries(document.paths)) {
    for (const method of kMethods.filter((it) => item[it])) yield {route, method, operation: item[method]};
  }
}

function tarOf(name, text) {
  const folder = mkdtempSync(path.join(tmpdir(), 'tunehub-openapi-'));
  writeFileSync(path.join(folder, name), text);
  const packed = spawnSync('tar', ['-czf', '-', '-C', folder, name]).stdout;
  rmSync(folder, {recursive: true});
  return packed;
}

// Sends all requests to a new hub. Returns one answer for each operation: the first.
export async function answers() {
  const hub = await startHub();
  const found = new Map();
  try {
    for (const [id, method, target, sent, isComplete = () => true] of requests(tarOf)) {
      const headers = {Authorization: `Bearer ${hub.key}`, ...(sent && {'Content-Type': sent.type})};
      let answer, text, type, value;
      do {
        answer = await fetch(hub.url + target, {method, headers, body: sent?.body});
        type = (answer.headers.get('content-type') ?? '').split(';')[0];
        text = await answer.text();
        if (!answer.ok) throw new Error(`${method} ${target}: ${answer.status} ${text}`);
        value = type === 'application/json' ? JSON.parse(text) : text;
      } while (!isComplete(value));
      if (!found.has(id)) {
        if (id === 'getOpenApi') value = {openapi: value.openapi};  // its other members are this document
        found.set(id, {method, target, sent, type, value, status: String(answer.status)});
      }
    }
  } finally {
    await hub.stop();
  }
  return found;
}

// The place of an answer in the document: a response, or the shared response that it refers to.
export function responseOf(document, operation, status) {
  const response = operation.responses[status];
  return response?.$ref ? document.components.responses[response.$ref.split('/').at(-1)] : response;
}

export function typeOf(content, type) {
  return content?.[type] ?? content?.['*/*'];
}

// Short: the first item of each list of objects, the first lines of a text.
export function shortened(value, depth = 0) {
  if (typeof value === 'string') return value.length > 200 ? value.slice(0, 200).replace(/\n[^\n]*$/, '\n') : value;
  if (Array.isArray(value)) return value.slice(0, typeof value[0] === 'number' ? 25 : 1).map((it) => shortened(it, depth + 1));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, it]) => [name, shortened(it, depth + 1)]));
}

export function curlOf({method, target, sent}) {
  const parts = ['curl -s', '-H "Authorization: Bearer $KEY"'];
  if (method === 'PUT') parts.push('-X PUT');
  if (method === 'POST' && !sent) parts.push('-X POST');
  if (sent) parts.push(`-H 'Content-Type: ${sent.type}'`, Buffer.isBuffer(sent.body) ? '--data-binary @tables.tar.gz' : `--data-binary $'${sent.body.replaceAll('\n', '\\n')}'`);
  return [...parts, `"$HUB${target}"`].join(' ');
}

// Where each value of a JSON text begins and ends, by pointer.
function spansOf(text) {
  const spans = new Map();
  let at = 0;
  const blank = () => { while (' \n\t\r'.includes(text[at])) at++; };
  const string = () => {
    const begin = at++;
    while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
    return JSON.parse(text.slice(begin, ++at));
  };
  const value = (pointer) => {
    blank();
    const begin = at;
    if (text[at] === '"') string();
    else if (text[at] === '{' || text[at] === '[') {
      const close = text[at] === '{' ? '}' : ']';
      at++;
      for (let i = 0; blank(), text[at] !== close; i++) {
        if (text[at] === ',') { at++; blank(); }
        const name = close === '}' ? string() : i;
        if (close === '}') { blank(); at++; }
        value([...pointer, name]);
      }
      at++;
    } else while (!',]} \n'.includes(text[at])) at++;
    spans.set(JSON.stringify(pointer), [begin, at]);
  };
  value([]);
  return spans;
}

const oneLine = (value) => {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  return `{${Object.entries(value).map(([name, it]) => `${JSON.stringify(name)}: ${oneLine(it)}`).join(', ')}}`;
};

// Puts `member` at the end of the object at `pointer`, or replaces it.
function put(text, pointer, member, value) {
  const spans = spansOf(text);
  const old = spans.get(JSON.stringify([...pointer, member]));
  if (old) return text.slice(0, old[0]) + oneLine(value) + text.slice(old[1]);
  const [begin, end] = spans.get(JSON.stringify(pointer));
  const body = text.slice(begin, end - 1);
  const inner = body.trimEnd();
  const wide = inner.length < body.length ? `\n${/\n( *)\S/.exec(body)[1]}` : ' ';
  return `${text.slice(0, begin)}${inner},${wide}${JSON.stringify(member)}: ${oneLine(value)}${body.slice(inner.length)}${text.slice(end - 1)}`;
}

async function write() {
  let text = readFileSync(kDocument, 'utf8');
  const document = JSON.parse(text);
  const found = await answers();
  for (const {route, method, operation} of operationsOf(document)) {
    const answer = found.get(operation.operationId);
    if (!answer) continue;
    text = put(text, ['paths', route, method], 'x-codeSamples', [{lang: 'Shell', source: curlOf(answer)}]);
    const response = operation.responses[answer.status];
    const pointer = response.$ref ? response.$ref.split('/').slice(1) : ['paths', route, method, 'responses', answer.status];
    const content = responseOf(document, operation, answer.status).content;
    if (!content) continue;
    if (answer.type !== 'application/gzip') text = put(text, [...pointer, 'content', content[answer.type] ? answer.type : '*/*'], 'example', shortened(answer.value));
  }
  writeFileSync(kDocument, text);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await write();
