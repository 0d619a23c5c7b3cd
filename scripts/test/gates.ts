/** A check of the whole tree that is not a test file. */
export interface Gate {
  readonly name: string;
  /** The arguments of Node. */
  readonly command: readonly string[];
  /** Whether `npm run check` runs it. */
  readonly isQuick: boolean;
  /** Whether only `npm run test:full` runs it, because it takes more than 8 s of CPU. */
  readonly isSlow?: boolean;
}

/** All that must hold before a change lands, besides the test files. */
export const GATES: readonly Gate[] = [
  // TypeScript 6 stays for its API, which version 7 does not have. What it found out is kept for the next run.
  {
    name: 'types',
    command: [
      'node_modules/typescript-7/bin/tsc',
      '--noEmit',
      // The processors have test files to run beside it, and several threads use a third more of them.
      '--singleThreaded',
      '--incremental',
      '--tsBuildInfoFile',
      '.cache/types.tsbuildinfo',
    ],
    isQuick: true,
  },
  {
    name: 'lint and format',
    command: ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings'],
    isQuick: true,
  },
  {
    name: 'format of policies',
    command: [
      '--import',
      'tsx',
      'packages/cli/authzc.ts',
      'fmt',
      '--check',
      'policies',
      'examples/contact-api/policies',
    ],
    isQuick: false,
  },
  {
    name: 'boundaries',
    command: [
      '--import',
      'tsx',
      'scripts/check-boundaries.ts',
      'compiler',
      'runtime',
      'server',
      'proto',
      'packages',
      'generated',
      'scripts',
      'examples',
      'bench',
    ],
    isQuick: false,
  },
  { name: 'every test file runs', command: ['--import', 'tsx', 'scripts/check-tests.ts'], isQuick: false },
  {
    name: 'generated files are up to date',
    command: ['--import', 'tsx', 'scripts/check-generated.ts'],
    isQuick: false,
  },
  {
    name: 'docs/api is up to date',
    command: ['--import', 'tsx', 'scripts/api-report.ts', '--check'],
    isQuick: false,
    isSlow: true,
  },
  { name: 'proto/gen is up to date', command: ['--import', 'tsx', 'proto/generate.ts', '--check'], isQuick: false },
  { name: 'sizes', command: ['--import', 'tsx', 'scripts/size.ts'], isQuick: false },
  { name: 'proto module', command: ['node_modules/@bufbuild/buf/bin/buf', 'lint', 'proto'], isQuick: false },
];
