import { existsSync, readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { filesLeft, type Job, jobsOf, nextJob } from './jobs.js';

const test = suite('jobs of the test runner');

const NO_JOB: Job = { node: '', suite: '', isShared: false, left: [] };
const FILES = ['compiler/a.test.ts', 'compiler/b.test.ts', 'tests/cli/c.test.ts', 'tests/site/d.test.ts'];

test('a long file has its own job, and what takes longest comes first', () => {
  const jobs = jobsOf([{ node: 'node', files: FILES }], {
    'compiler/b.test.ts': 31,
    'tests/site/d.test.ts': 100,
    'tests/cli/c.test.ts': 9,
  });
  assert.equal(
    jobs.map(({ suite: name, left }) => [name, ...left]),
    [
      ['tests/site', 'tests/site/d.test.ts'],
      ['compiler', 'compiler/b.test.ts'],
      ['tests/cli', 'tests/cli/c.test.ts'],
      ['compiler', 'compiler/a.test.ts'],
    ],
  );
});

test('a processor without a job takes files of another one, and each file runs once', () => {
  const jobs = jobsOf([{ node: 'node', files: FILES }], {});
  const begun = new Set<Job>();
  const runners = FILES.map(() => filesLeft(nextJob(jobs, begun) ?? NO_JOB));
  const ran = runners.flatMap((files) => files.next().value ?? []);
  assert.equal([...ran].sort(), FILES);
  assert.is(nextJob(jobs, begun), undefined);
});

test('files that measure their process, and those that start programs, do not share one with other suites', () => {
  const jobs = jobsOf([{ node: 'node', files: [...FILES, 'tests/archives/attacks.test.ts'] }], {});
  assert.equal(
    jobs.filter(({ isShared }) => !isShared).map(({ left }) => left),
    [['tests/site/d.test.ts'], ['tests/archives/attacks.test.ts']],
  );
});

test('every file with a figure exists', () => {
  const figures = JSON.parse(readFileSync('tests/longest.json', 'utf8')) as object;
  assert.equal(
    Object.keys(figures).filter((file) => !existsSync(file)),
    [],
  );
});

test.run();
