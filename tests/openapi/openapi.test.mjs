// server/openapi.json, read by the tools that its users have, and compared with a real hub.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {test} from 'node:test';
import SwaggerParser from '@apidevtools/swagger-parser';
import Ajv from 'ajv/dist/2020.js';
import {answers, curlOf, kDocument, operationsOf, responseOf, shortened, typeOf} from './examples.mjs';

const document = JSON.parse(readFileSync(kDocument, 'utf8'));
const operations = [...operationsOf(document)];

function lint(file) {
  const done = spawnSync('node_modules/.bin/redocly', ['lint', '--extends', 'recommended', '--format', 'json', file], {encoding: 'utf8'});
  return {status: done.status, problems: JSON.parse(done.stdout).problems.map((it) => `${it.ruleId}: ${it.message}`)};
}

test('redocly finds neither an error nor a warning', () => {
  assert.deepEqual(lint(fileURLToPath(kDocument)), {status: 0, problems: []});
});

test('swagger-parser accepts it', async () => {
  await SwaggerParser.validate(structuredClone(document));
});

// Examples are checked by the document's own schemas.
const ajv = new Ajv({strict: false, validateFormats: false});
ajv.addSchema(document, 'api');
const place = (...parts) => 'api#/' + parts.map((it) => encodeURIComponent(it.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');

function errorsOf(route, method, operation, status, type, value) {
  const response = operation.responses[status];
  const at = response.$ref ? response.$ref.split('/').slice(1) : ['paths', route, method, 'responses', status];
  const fits = ajv.getSchema(place(...at, 'content', type, 'schema'));
  return fits(value) ? [] : fits.errors.map((it) => `${it.instancePath} ${it.message}`);
}

// An example shows which members an answer has, and of which kind.
function differenceOf(example, answer, at = '') {
  const kind = (value) => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);
  if (kind(example) !== kind(answer)) return [`${at}: ${kind(example)}, but the hub answers ${kind(answer)}`];
  if (kind(example) === 'array') return example.flatMap((it, i) => differenceOf(it, answer[i], `${at}/${i}`));
  if (kind(example) !== 'object') return [];
  const names = new Set([...Object.keys(example), ...Object.keys(answer)]);
  return [...names].flatMap((name) => (name in example && name in answer ? differenceOf(example[name], answer[name], `${at}/${name}`)
    : [`${at}/${name}: ${name in example ? 'only in the example' : 'only in the answer'}`]));
}

test('each operation states its security and has an example', () => {
  for (const {route, method, operation} of operations) {
    assert.ok(Array.isArray(operation.security), `${method} ${route}`);
    if (operation.operationId !== 'postDifferences' && operation.operationId !== 'getAsset') assert.ok(operation['x-codeSamples'], `${method} ${route}`);
  }
});

test('each example is what a real hub answers, and both fit the schema', async () => {
  const found = await answers();
  const wrong = [];
  for (const {route, method, operation} of operations) {
    const answer = found.get(operation.operationId);
    if (!answer) continue;
    const name = `${method} ${route}`;
    assert.equal(operation['x-codeSamples'][0].source, curlOf(answer), name);
    const content = responseOf(document, operation, answer.status)?.content;
    assert.ok(content, `${name}: ${answer.status} is not described`);
    const type = content[answer.type] ? answer.type : '*/*';
    assert.ok(typeOf(content, answer.type), `${name}: ${answer.type} is not described`);
    if (answer.type === 'application/json') {
      wrong.push(...errorsOf(route, method, operation, answer.status, type, answer.value).map((it) => `${name}: ${it}`));
      // A shared response has the example of one of its operations.
      if (operation.responses[answer.status].$ref) continue;
      wrong.push(...differenceOf(content[type].example, shortened(answer.value)).map((it) => `${name}: ${it}`));
    }
    if (type === 'application/gzip') continue;  // an example would be unreadable
    wrong.push(...errorsOf(route, method, operation, answer.status, type, content[type].example).map((it) => `${name}: example: ${it}`));
  }
  assert.deepEqual(wrong, []);
});
