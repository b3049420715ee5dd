// A static export of the hub in a subfolder of a plain file server. The server answers only GET and ignores queries.
import {execFile} from 'node:child_process';
import {cpSync, mkdtempSync, readdirSync, rmSync} from 'node:fs';
import {readFile} from 'node:fs/promises';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {tmpdir} from 'node:os';
import {extname, join, normalize} from 'node:path';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {kBin, type Hub} from './hub';

export interface Site {
  url: string;  // ends with '/'
  folder: string;
  missed: string[];  // requests without a file
  close(): void;
}

const kConfigs = fileURLToPath(new URL('../../../configs', import.meta.url));
const kTypes: Record<string, string> = {'.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.json': 'application/json', '.csv': 'text/csv'};

// The shipped configs, but only with the models that the tests need, because an export's time grows with its models.
function configsIn(folder: string): string {
  const configs = join(folder, 'configs');
  cpSync(kConfigs, configs, {recursive: true});
  for (const name of readdirSync(join(configs, 'models'))) {
    if (!['deepseek-v3.json', 'qwen3-32b.json', 'qwen3-vl-32b.json'].includes(name)) rmSync(join(configs, 'models', name));
  }
  return configs;
}

export async function exportedSite({data}: Hub): Promise<Site> {
  const root = mkdtempSync(join(tmpdir(), 'tunehub-site-'));
  const folder = join(root, 'team/tunehub');
  await promisify(execFile)(join(kBin, 'tunehub-server'), ['export', '--static', folder, '--data', data, '--configs', configsIn(root)]);
  const missed: string[] = [];
  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? '', 'http://host').pathname;
    const name = normalize(decodeURIComponent(path.endsWith('/') ? `${path}index.html` : path));
    try {
      if (request.method !== 'GET') throw new Error(request.method);
      const bytes = await readFile(join(root, name));
      response.writeHead(200, {'Content-Type': kTypes[extname(name)] ?? 'application/octet-stream'}).end(bytes);
    } catch {
      missed.push(`${request.method} ${path}`);
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/team/tunehub/`,
    folder,
    missed,
    close: () => {
      server.close();
      rmSync(root, {recursive: true, force: true});
    },
  };
}
