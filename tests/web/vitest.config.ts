import {defineConfig} from 'vitest/config';
import {BaseSequencer, type TestSpecification} from 'vitest/node';

// By their names: the tests share a hub, and what one plans the next one sees. By default the order is that
// of how long they took the last time, and so another on every machine.
class ByName extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    return [...files].sort((a, b) => (a.moduleId < b.moduleId ? -1 : 1));
  }
}

export default defineConfig({
  test: {
    fileParallelism: false,  // one server, one browser
    sequence: {sequencer: ByName},
    projects: [
      {test: {name: 'unit', include: ['unit/**/*.test.ts']}},
      {
        test: {
          name: 'browser',
          include: ['browser/**/*.test.ts'],
          globalSetup: ['support/hub.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          expect: {poll: {timeout: 15_000}},
        },
      },
    ],
  },
});
