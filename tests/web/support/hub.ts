// The real server on its own PostgreSQL, with AITER's real tables and the rows of seed.ts. All browser tests share it.
// startHub makes other servers.
import {execFileSync, spawn, spawnSync, type ChildProcess} from 'node:child_process';
import {chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import type {TestProject} from 'vitest/node';
import {seed} from './seed';

export interface Hub {
  url: string;
  key: string;
  data: string;  // the folder of the server's PostgreSQL
  seeded: number;  // when the first rows were stored, in ms
}

declare module 'vitest' {
  interface ProvidedContext {
    hub: Hub | null;
  }
}

const kRepo = fileURLToPath(new URL('../../..', import.meta.url));
export const kBin = process.env['TUNEHUB_BIN'] ?? join(kRepo, 'build/release/bin');
const kConfigs = join(process.env['TUNEHUB_DATA'] ?? join(kRepo, '../shared/data'), 'aiter/configs');
const kPatience = 60_000;
const kLease = 3_600_000;  // ms; longer than the tests, because nobody sends heartbeats for the agent of seed.ts

async function urlOf(server: ChildProcess): Promise<string> {
  let log = '';
  return new Promise((done, fail) => {
    const timer = setTimeout(() => fail(new Error(`the server does not start: ${log}`)), kPatience);
    const read = (bytes: Buffer) => {
      log += bytes.toString();
      const url = /listens on (http:\/\/127\.0\.0\.1:\d+)\//.exec(log)?.[1];
      if (!url) return;
      clearTimeout(timer);
      done(url);
    };
    server.stdout?.on('data', read);
    server.stderr?.on('data', read);
    server.on('exit', () => fail(new Error(`the server ended at its start: ${log}`)));
  });
}

export interface Started {
  hub: Hub;
  folder: string;  // for other files; removed with the server
  stop(): Promise<void>;
}

// Starts a server on an empty PostgreSQL, in its own folder.
export async function startHub(): Promise<Started> {
  const folder = mkdtempSync(join(tmpdir(), 'tunehub-web-'));
  chmodSync(folder, 0o755);  // if this runs as root, PostgreSQL runs as another user
  const data = join(folder, 'data');
  const server = spawn(join(kBin, 'tunehub-server'), ['serve', '--data', data, '--listen', '127.0.0.1:0'], {
    env: {...process.env, TUNEHUB_JOB_LEASE_MS: String(kLease)},
  });
  const stop = async () => {
    const ended = new Promise((done) => server.once('exit', done));
    if (server.exitCode === null && server.kill('SIGTERM')) await ended;
    rmSync(folder, {recursive: true, force: true});
  };
  try {
    const url = await urlOf(server);
    const key = execFileSync(join(kBin, 'tunehub-server'), ['key', 'create', '--scope', 'admin', '--data', data]).toString().trim();
    return {hub: {url, key, data, seeded: Date.now()}, folder, stop};
  } catch (error) {
    await stop();
    throw error;
  }
}

// Moves revisions and runs into the past. Only the database's owner can do that. A point is as old as its revision.
export function makeOlder(data: string, days: number) {
  const socket = readFileSync(join(data, 'pg.socket'), 'utf8').trim();
  const older = `UPDATE revision SET created = created - interval '${days} days'; UPDATE run SET received = received - interval '${days} days'`;
  execFileSync('psql', ['-h', socket, '-U', 'tunehub', '-d', 'tunehub', '-qc', older], {stdio: 'pipe'});
}

// The agent measures the default and every candidate on this machine's CPU.
function tune(folder: string, url: string, key: string) {
  const shapes = [1, 16, 64].map((m) => `${m},128,512,torch.int8\n`);
  const untuned = join(folder, 'a8w8_untuned_gemm.csv');
  writeFileSync(untuned, `M,N,K,q_dtype_w\n${shapes.join('')}`);
  execFileSync(join(kBin, 'tunehub-agent'), ['tune', '-i', untuned, '--iters', '5', '--spool', join(folder, 'spool'), '--state', join(folder, 'state')], {
    env: {...process.env, TUNEHUB_HUB: url, TUNEHUB_KEY: key},
    stdio: 'pipe',
  });
}

export default async function setup({provide}: TestProject) {
  if (!existsSync(kConfigs)) {
    console.warn(`\nNOT CHECKED IN A BROWSER: there are no real tables in ${kConfigs}; set TUNEHUB_DATA to the folder that holds aiter/configs\n`);
    provide('hub', null);
    return () => {};
  }
  const started = await startHub();
  const {hub: {url, key, data}, folder, stop} = started;
  try {
    const {status, stderr} = spawnSync(join(kBin, 'tunehub-agent'), ['import', kConfigs, '--hub', url], {env: {...process.env, TUNEHUB_KEY: key}});
    if (status !== 0 && status !== 1) throw new Error(`tunehub-agent import: ${status} ${stderr}`);  // 1: done, with remarks about rows
    await seed(url, key, (days) => makeOlder(data, days));
    tune(folder, url, key);
    provide('hub', {...started.hub, seeded: Date.now()});
  } catch (error) {
    await stop();
    throw error;
  }
  return stop;
}
