// The texts of a pin: its commands, the meaning of "not safe", and what a lock file pins.
import {describe, expect, test} from 'vitest';
import type {Verdict} from '../../../web/src/answers';
import {checkCommand, dockerLines, kUseCommand, lockedIn, recipeCommand, saidOf} from '../../../web/src/places/pin_words';

describe('a pin', () => {
  test('the check needs no key, and every shell can use the tables', () => {
    expect(checkCommand('')).toBe('cd /opt/tuned && sha256sum -c SHA256SUMS');
    expect(checkCommand('KEY')).toBe('cd /opt/tuned && minisign -Vm SHA256SUMS -P KEY && sha256sum -c SHA256SUMS');
    expect(kUseCommand).toBe('TUNEHUB_BUNDLE=/opt/tuned; . /opt/tuned/env.sh');
  });

  const verdict = (missing: number, unmeasured: number, more: Partial<Verdict> = {}) =>
    ({verdict: 'not_safe', sentence: 'Safe: all. More.', model: 'm', tp: 8, build: null, notes: [], counts: {asked: 4, missing, unmeasured}, ...more} as unknown as Verdict);

  test('a missing row costs nothing, a row that nobody measured may; safe is only what a build is known to run', () => {
    const usual = "AITER's default kernel runs, with this pin or without it";
    expect(saidOf(verdict(4, 0))).toEqual({tone: 'no_gain', text: `No gain, no loss: of 4 shapes that m at TP 8 needs, none has a row, so ${usual}.`});
    expect(saidOf(verdict(1, 0))).toEqual({tone: 'with_gaps', text: `With gaps: of 4 shapes that m at TP 8 needs, 3 have a measured row. For the other 1 ${usual}.`});
    expect(saidOf(verdict(1, 0, {build: 'wheel'})).text).toMatch(/^Safe to pin, with gaps: /);
    expect(saidOf(verdict(1, 0, {build: 'wheel', notes: [{detail: 'unknown'}]})).text).toMatch(/^With gaps: /);
    expect(saidOf(verdict(0, 1))).toEqual({tone: 'not_safe', text: 'Measure first: of 4 shapes that m at TP 8 needs, 1 would get a kernel that nobody measured, which may be slower than the default. 3 have a measured row.'});
    expect(saidOf(verdict(2, 1)).text).toContain(`For 2 without a row ${usual}. 1 have a measured row.`);
    expect(saidOf(verdict(0, 0, {verdict: 'safe'}))).toEqual({tone: 'safe', text: 'Safe: all.'});
  });

  test('the lines of a Dockerfile check the archive and name each of its tables; the recipe gets this pin', () => {
    const families = [{env: 'A', file: 'a.csv', sha256: 'x'}, {env: 'B', file: 'b.csv', sha256: null}];
    const [run, ...more] = dockerLines('http://hub/bundle?x', 'd1', verdict(0, 0, {families} as unknown as Verdict)).split('\n');
    expect(run).toMatch(/^RUN mkdir .*curl -fsSo tuned\.tgz 'http:\/\/hub\/bundle\?x' && echo 'd1  tuned\.tgz' \| sha256sum -c && tar -xzf tuned\.tgz$/);
    expect(more).toEqual(['ENV A=/opt/tuned/aiter/configs/a.csv']);
    expect(recipeCommand('http://hub', verdict(0, 0, {pin: '3-01', gfx: 'gfx942'}))).toContain('-f docs/recipes/aiter.Dockerfile --build-arg BASE=YOUR/AITER:TAG --build-arg HUB=http://hub --build-arg PIN=3-01 --build-arg GPU_ARCHS=gfx942 --secret id=tunehub_key,src=tunehub.key');
  });

  test('a lock file names each of its revisions and devices once', () => {
    const table = (revision: number, query: string) => ({family: 'a', revision, query});
    const text = JSON.stringify({tables: [table(2, 'gfx=gfx950&cu_num=256'), table(2, 'gfx=gfx950&cu_num=256&table=x'), table(3, 'gfx=gfx942'), table(3, ''), {reader: 'vllm'}]});
    expect(lockedIn(text)).toEqual({revisions: [2, 3], targets: ['gfx950:256', 'gfx942']});
  });
});
