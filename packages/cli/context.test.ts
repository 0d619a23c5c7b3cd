import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const test = suite('the context of commands');

/** The programs, which pass their process to the commands, and the library, which has no commands. */
const PROGRAMS = [
  'analysis-library.ts',
  'authzc.ts',
  'authzc-process.ts',
  'process-context.ts',
  'server.ts',
  'server-program.ts',
];
const OWN_PROCESS = /\bprocess\.(?:argv|stdin|stdout|stderr|exit|exitCode|env|cwd)\b|\bconsole\./;

test('only the programs use the streams, the environment and the end of their process', () => {
  const folder = import.meta.dirname;
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !PROGRAMS.includes(file),
  );
  assert.ok(files.length > 100);
  assert.equal(
    files.filter((file) => OWN_PROCESS.test(readFileSync(join(folder, file), 'utf8'))),
    [],
  );
});

test.run();
