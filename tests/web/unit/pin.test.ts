// The texts of a pin: its commands, the meaning of "not safe", and what a lock file pins.
import {describe, expect, test} from 'vitest';
import type {Verdict} from '../../../web/src/answers';
import {checkCommand, harmOf, kUseCommand, lockedIn} from '../../../web/src/places/pin_words';

describe('a pin', () => {
  test('the check needs no key, and every shell can use the tables', () => {
    expect(checkCommand('')).toBe('cd /opt/tuned && sha256sum -c SHA256SUMS');
    expect(checkCommand('KEY')).toBe('cd /opt/tuned && minisign -Vm SHA256SUMS -P KEY && sha256sum -c SHA256SUMS');
    expect(kUseCommand).toBe('TUNEHUB_BUNDLE=/opt/tuned; . /opt/tuned/env.sh');
  });

  test('"not safe" names the kernels that run instead', () => {
    const counts = (missing: number, unmeasured: number) => harmOf({missing, unmeasured} as Verdict['counts']);
    expect([counts(1, 0), counts(0, 1), counts(2, 2)].map((it) => it.replace(/.*these shapes /, ''))).toEqual(['use the default kernel.', 'use a kernel that nobody measured.', 'use the default kernel or a kernel that nobody measured.']);
  });

  test('a lock file names each of its revisions and devices once', () => {
    const table = (revision: number, query: string) => ({family: 'a', revision, query});
    const text = JSON.stringify({tables: [table(2, 'gfx=gfx950&cu_num=256'), table(2, 'gfx=gfx950&cu_num=256&table=x'), table(3, 'gfx=gfx942'), table(3, ''), {reader: 'vllm'}]});
    expect(lockedIn(text)).toEqual({revisions: [2, 3], targets: ['gfx950:256', 'gfx942']});
  });
});
