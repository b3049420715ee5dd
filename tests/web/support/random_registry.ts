// A random registry on its own server: imports, runs on several hosts, demand, jobs, agents, a revert. The same seed
// makes the same registry.
import {execFileSync} from 'node:child_process';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {clientOf, waitForPoints, type Json} from './client';
import {makeOlder, startHub, type Hub} from './hub';
import {Random} from './random';
import {candidateOf, hasTarget, placeOf, rowOf, timeOf, type Place, type Shape, type Target, type Tried} from './random_rows';

export interface Registry {
  seed: number;
  hub: Hub;
  now: number;  // the page's clock in ms
  targets: Target[];
  places: Place[];
  stories: {run: number; family: string; key: Shape};
  stop(): Promise<void>;
}

const kPeaked = ['gfx942:304', 'gfx950:256'];  // targets with a known roofline
const kTargets = ['gfx942:80', 'gfx942:228', 'gfx90a:104', 'gfx90a:110', 'gfx1201:64', 'gfx942:64'];
const kProducts = ['a8w8', 'a8w8_blockscale', 'a8w8_bpreshuffle', 'a8w8_blockscale_bpreshuffle', 'bf16'];
const kExperts = ['fmoe', 'grouped_fmoe'];
const kOwn = ['triton_fused_moe', 'triton_gemm', 'tunableop'];  // families of an engine's own files
const kHosts = ['node1', 'node2', 'node3'];
const kMinute = 60_000;

const targetOf = (name: string): Target => ({gfx: name.split(':')[0] ?? '', cu_num: Number(name.split(':')[1])});

class Filling {
  readonly client;
  readonly tried = new Map<string, Tried[]>();
  places: Place[] = [];
  targets: Target[] = [];
  constructor(readonly hub: Hub, readonly random: Random) {
    this.client = clientOf(hub.url, hub.key);
  }

  async choose() {
    const {random, hub} = this;
    const {families} = (await (await fetch(`${hub.url}/families`)).json()) as {families: any[]};
    this.targets = [random.pick(kPeaked), ...random.some(kTargets, random.whole(1, 2))].map(targetOf);
    const names = [...random.some(kProducts, random.whole(2, 4)), random.pick(kExperts), random.pick(kOwn)];
    for (const name of names) {
      const family = families.find((it) => it.name === name);
      const most = hasTarget(family) ? random.whole(1, this.targets.length) : 1;
      for (const target of random.some(this.targets, most)) this.places.push(await placeOf(hub.url, family, target, random));
    }
    this.places = this.places.filter((it) => it.keys.length > 0);
  }

  // A shape key's candidates, each with a time. Runs measure times near it. The first candidate may be the default.
  private candidatesOf(place: Place, shape: Shape): Tried[] {
    const {random} = this;
    const name = JSON.stringify([place.family.name, place.target, shape]);
    let all = this.tried.get(name);
    if (!all) {
      const us = timeOf(place, shape, random);
      all = Array.from({length: random.whole(1, 4)}, () => ({candidate: candidateOf(place, random), us: us * random.size(1, 2, 3)}));
      if (random.chance(0.3)) all.unshift({candidate: candidateOf(place, random), us: us * random.size(0.9, 6, 3), is_default: true});
      if (random.chance(0.1)) all.length = 1;
      this.tried.set(name, all);
    }
    return all;
  }

  private rowsOf(place: Place, share: number): Json[] {
    const {random} = this;
    return place.keys.filter(() => random.chance(share)).flatMap((shape) => this.candidatesOf(place, shape).filter(() => random.chance(0.8)).map((it) => {
      const us = random.chance(0.2) ? it.us : Number((it.us * random.size(0.75, 1.35, 4)).toFixed(4));
      return rowOf(place, shape, {...it, us: Math.max(us, 0.5)}, random);
    }));
  }

  async measure(share: number): Promise<number> {
    const {random, client} = this;
    const target = random.pick(this.targets);
    const run = await client.json('/runs', {
      started: `2026-01-${random.whole(10, 28)}T0${random.whole(0, 9)}:30:00Z`, host: random.pick(kHosts), gfx: target.gfx, cu_num: target.cu_num, rocm: random.pick(['6.4', '7.0', '7.1']),
      ...(random.chance(0.5) && {aiter: random.pick(['0.1.14', '0.1.15'])}), ...(random.chance(0.5) && {campaign: random.pick(['spring', 'autumn'])}), ...(random.chance(0.3) && {product: 'MI300X', tuner: 'tunehub 0.1'}),
    });
    for (const place of this.places) {
      const rows = random.chance(0.75) ? this.rowsOf(place, share) : [];
      // The hub may refuse a batch that would shrink a table. Then the registry lacks this batch.
      if (rows.length > 0) {
        await client.json(`/results/${place.family.name}?run=${run['id']}`, {rows}).catch((error: Error) => {
          if (!error.message.includes('would_shrink')) throw error;
        });
      }
    }
    return Number(run['id']);
  }

  // Imports a tree of AITER's tables as one source. The next import of the source replaces this one.
  async import(share: number) {
    const folder = mkdtempSync(join(tmpdir(), 'tunehub-tree-'));
    const tables = new Map<any, string[]>();
    for (const place of this.places.filter((it) => hasTarget(it.family))) {
      const names = place.family.columns.map((it: any) => it.name);
      const lines = this.rowsOf(place, share).map((row) => names.map((name: string) => String(row[name] ?? '')).join(','));
      tables.set(place.family, [...(tables.get(place.family) ?? [names.join(',')]), ...lines]);
    }
    for (const [{file}, lines] of tables) writeFileSync(join(folder, file), `${lines.join('\n')}\n`);
    const tar = execFileSync('tar', ['-cf', '-', '-C', folder, ...[...tables.keys()].map((it) => it.file)], {maxBuffer: 1 << 26});
    rmSync(folder, {recursive: true});
    await this.client.send('/import?source=tree&allow_shrink=1', new Uint8Array(tar), 'application/x-tar');
  }

  async demand() {
    const {random, client} = this;
    for (const {family, target, keys} of this.places.filter((it) => hasTarget(it.family))) {
      const wanted = random.some(keys, random.whole(0, 8)).map((shape) => ({...shape, count: random.whole(1, 3000)}));
      if (wanted.length > 0) await client.json(`/untuned/${family.name}?gfx=${target.gfx}&cu_num=${target.cu_num}`, {shapes: wanted});
    }
  }

  // Some jobs for each target, and agents that work, have finished or have failed.
  async work() {
    const {random, client} = this;
    for (const target of this.targets) {
      const places = this.places.filter((it) => hasTarget(it.family) && it.target === target);
      for (const {family, keys} of places) {
        for (let n = random.whole(0, 2); n > 0; --n) await client.json('/jobs', {family: family.name, ...target, shapes: random.some(keys, random.whole(1, 9)), priority: random.whole(0, 3)});
      }
      for (let n = random.whole(0, 3); n > 0; --n) await this.agent(`${target.gfx}-${target.cu_num}-${n}`, target);
    }
  }

  private async agent(agent: string, target: Target) {
    const {random, client} = this;
    await client.json('/agents', {agent, ...target, host: random.pick(kHosts), version: '0.1.0', ...(random.chance(0.7) && {doing: random.pick(['waits', 'measures', 'compiles'])})});
    const {id, lease, shape_count: total = 0} = (await client.json('/jobs/claim', {agent, ...target})) as any;
    if (!lease) return;
    const {epoch} = lease;
    await client.json(`/jobs/${id}/heartbeat`, {agent, epoch, progress: {done: random.whole(0, total), total}});
    const ends: Record<string, Json | null> = {complete: {}, fail: {reason: 'out of memory', park: random.chance(0.7)}, heartbeat: {progress: {done: random.whole(0, total), total}}};
    const [end, body] = random.pick(Object.entries(ends));
    await client.json(`/jobs/${id}/${end}`, {agent, epoch, ...body});
  }

  // Cases that random rows may miss: two batches of a run with one wrong row each, and a time of 0 beside a valid time.
  async stories(): Promise<Registry['stories']> {
    const {random, client} = this;
    const place = this.places.find(({family, keys}) => keys.length > 1 && hasTarget(family) && family.columns.some((it: any) => it.role === 'error')) as Place;
    const {family, target, keys: [one = {}, other = {}]} = place;
    const errors = family.columns.filter((it: any) => it.role === 'error').map((it: any) => it.name);
    const tried = (shape: Shape, us: number, error: number) => ({...rowOf(place, shape, {candidate: candidateOf(place, random), us}, random), ...shape, us, ...Object.fromEntries(errors.map((it: string) => [it, error]))});
    const {id} = await client.json('/runs', {started: '2026-01-29T12:00:00Z', host: 'node1', gfx: target.gfx});
    const good = timeOf(place, one, random) + 3000;
    for (const rows of [[tried(one, good, 0.01), tried(one, 0, 0.01), tried(one, 50, 0.97)], [tried(other, 50, 0.97)]]) await client.json(`/results/${family.name}?run=${id}`, {rows});
    return {run: Number(id), family: family.name, key: {gfx: target.gfx, cu_num: String(target.cu_num), ...one}};
  }

  // A build that has some of the kernels.
  async build() {
    const names = new Set([...this.tried.values()].flat().map((it) => it.candidate['kernelName']).filter(Boolean));
    const lines = this.random.some([...names], 6).map((it) => `${String(it).startsWith('a8w8_rowwise') ? 'gemm_a8w8' : 'gemm_a8w8_blockscale'},${this.targets[0]?.gfx},,${it}`);
    await this.client.send('/builds/wheel', `# kind: compiled\nmodule,gfx,kernelId,kernelName\n${lines.join('\n')}\n`, 'text/csv', 'PUT');
  }
}

async function fill(hub: Hub, random: Random): Promise<Pick<Registry, 'targets' | 'places' | 'stories'>> {
  const it = new Filling(hub, random);
  await it.choose();
  await it.import(0.5);
  await it.measure(0.5);
  makeOlder(hub.data, random.whole(20, 50));
  for (let n = random.whole(1, 3); n > 0; --n) await it.measure(0.5);
  makeOlder(hub.data, random.whole(8, 14));
  await it.import(0.6);
  await it.measure(0.6);
  const mistake = await it.measure(0.4);
  await it.measure(0.3);
  const stories = await it.stories();
  await it.demand();
  await it.work();
  await it.build();
  await it.client.json(`/runs/${mistake}/revert?allow_shrink=1`, {});
  const {revision, families} = (await (await fetch(`${hub.url}/tuned`)).json()) as any;
  const target = families.flatMap((one: any) => one.targets).find((one: any) => one.cu_num);
  await waitForPoints(hub.url, target, (points) => points.some((one) => one.revision >= revision));
  return {targets: it.targets, places: it.places, stories};
}

export async function randomRegistry(seed: number): Promise<Registry> {
  const random = new Random(seed);
  const {hub, stop} = await startHub();
  try {
    const filled = await fill(hub, random);
    return {seed, hub, now: Date.now() + random.pick([0, 3 * kMinute, 90 * kMinute, 26 * 60 * kMinute]), ...filled, stop};
  } catch (error) {
    await stop();
    throw error;
  }
}
