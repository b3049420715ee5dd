import {defineConfig} from 'vitest/config';
import {BaseSequencer, type TestSpecification} from 'vitest/node';

// Files run by name: they share a hub, and each sees the writes of those before. The default order depends on earlier
// durations, so it differs from machine to machine.
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
          testTimeout: 300_000,
          hookTimeout: 300_000,
          expect: {poll: {timeout: 60_000}},
        },
      },
    ],
  },
});
