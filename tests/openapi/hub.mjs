// A new hub with its own PostgreSQL, on a free port, and an admin key.
import {spawn, spawnSync} from 'node:child_process';
import {chmodSync, mkdtempSync, readFileSync, rmSync, openSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {setTimeout as pause} from 'node:timers/promises';

const kPatience = 600_000;  // only a hang takes so long

export async function startHub() {
  const server = path.join(process.env['TUNEHUB_BIN'], 'tunehub-server');
  const folder = mkdtempSync(path.join(tmpdir(), 'tunehub-openapi-'));
  chmodSync(folder, 0o755);  // if root runs this, PostgreSQL runs as another user
  const log = path.join(folder, 'log'), data = path.join(folder, 'data');
  const said = openSync(log, 'w');
  const hub = spawn(server, ['serve', '--data', data, '--listen', '127.0.0.1:0'], {stdio: ['ignore', said, said]});
  const ended = new Promise((resolve) => hub.on('exit', resolve));
  const end = Date.now() + kPatience;
  let url;
  while (!(url = /listens on (http:\/\/[^/]+)\//.exec(readFileSync(log, 'utf8'))?.[1])) {
    if (hub.exitCode !== null || Date.now() > end) throw new Error(`the server does not start: ${readFileSync(log, 'utf8')}`);
    await pause(50);
  }
  const key = spawnSync(server, ['key', 'create', '--scope', 'admin', '--data', data], {encoding: 'utf8'}).stdout.trim();
  const stop = async () => {
    hub.kill();
    await ended;
    rmSync(folder, {recursive: true, force: true});
  };
  return {url, key, stop};
}
