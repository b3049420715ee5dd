import {defineConfig} from 'vitest/config';
import {BaseSequencer, type TestSpecification} from 'vitest/node';

// Files of a project run sorted by name, because they share a hub: each sees the writes of earlier files. vitest's
// default order depends on earlier durations, so it differs between machines.
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
      // These start their own hubs, so they can run beside `browser`.
      {test: {name: 'registries', include: ['registries/**/*.test.ts'], testTimeout: 300_000, hookTimeout: 300_000, expect: {poll: {timeout: 60_000}}}},
    ],
  },
});
