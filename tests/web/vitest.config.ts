import {defineConfig} from 'vitest/config';

export default defineConfig({
  test: {
    fileParallelism: false,  // one server, one browser
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
