import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PACKAGES } from '../../scripts/packages/packages.js';
import { ROOT } from '../support/compiled.js';

const test = suite('the Dockerfile');

interface Stage {
  readonly name: string;
  readonly from: string;
  readonly lines: readonly string[];
}

const stages = stagesOf(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'));
const last = stages.at(-1) as Stage;

test('a stage copies only from earlier stages', () => {
  stages.forEach(({ lines, from }, index) => {
    const before = stages.slice(0, index).map(({ name }) => name);
    const sources = lines.flatMap((line) => /^COPY --from=(\S+)/.exec(line)?.[1] ?? []);
    assert.ok(
      sources.every((source) => before.includes(source)),
      String(sources),
    );
    assert.ok(from.includes('/') || from.includes(':') || from === 'scratch' || before.includes(from), from);
  });
});

test('copied paths exist in the repository', () => {
  for (const line of stages.flatMap(({ lines }) => lines)) {
    const [, sources = ''] = /^COPY (?!--from)(.+) \S+$/.exec(line) ?? [];
    for (const source of sources.split(' ').filter((word) => word !== ''))
      assert.ok(existsSync(join(ROOT, source)), source);
  }
});

test('files that the build needs are not in .dockerignore, and large folders are', () => {
  const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n');
  for (const needed of [
    'compiler',
    'runtime',
    'server',
    'proto',
    'generated',
    'scripts',
    'policies',
    'package.json',
    'package-lock.json',
    '.npmrc',
    'tsconfig.json',
  ])
    assert.not(ignored.includes(needed), needed);
  for (const large of ['node_modules', '.git']) assert.ok(ignored.includes(large), large);
});

test('the image runs programs that the build creates', () => {
  const programs = new Set(
    [
      ...stages
        .flatMap(({ lines }) => lines)
        .join('\n')
        .matchAll(/\bdist\/(\w+)\.js\b/g),
    ].map(([, name]) => name as string),
  );
  assert.equal([...programs].sort(), ['authzc', 'policies', 'server']);
  const built = PACKAGES.flatMap(({ programs = {} }) => Object.keys(programs));
  for (const program of ['authzc', 'server']) assert.ok(built.includes(program), program);
});

test('the image uses the LTS release of Node that CI tests', () => {
  const [, lts = ''] = /^NODES=.*'(\d+)\.\S+ \S+ \S+'\}$/m.exec(readFileSync(join(ROOT, '.ci/run'), 'utf8')) ?? [];
  assert.is(Number(lts) % 2, 0, 'a release that becomes LTS has an even number');
  assert.ok(stages.some(({ name, from }) => name === 'build' && from.startsWith(`node:${lts}-`)));
  assert.ok(last.from.startsWith(`gcr.io/distroless/nodejs${lts}-`), last.from);
});

test('the image has no build tools, does not run as root, and has a health check', () => {
  assert.match(last.from, /^gcr\.io\/distroless\/nodejs\d+-debian\d+:nonroot$/);
  assert.ok(
    stages.some(({ name, lines }) => name === 'production' && lines.some((line) => line.includes('--omit=dev'))),
  );
  assert.ok(last.lines.every((line) => !line.startsWith('RUN ')));
  assert.match(only('USER'), /^USER [1-9]\d*:[1-9]\d*$/);
  assert.match(only('HEALTHCHECK'), /CMD \["\/nodejs\/bin\/node", "dist\/server\.js", "healthcheck"\]$/);
  assert.match(only('ENTRYPOINT'), /^ENTRYPOINT \["\/nodejs\/bin\/node", "dist\/server\.js"\]$/);
  assert.match(only('EXPOSE'), /^EXPOSE 3592 3593$/);
});

test('the image has the standard labels', () => {
  const { version, license } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly version: string;
    readonly license: string;
  };
  const label = only('LABEL');
  for (const name of ['title', 'description', 'licenses', 'version', 'revision'])
    assert.match(label, `org.opencontainers.image.${name}="`);
  assert.match(label, `licenses="${license}"`);
  assert.ok(last.lines.includes(`ARG VERSION=${version}`));
});

test.run();

function only(instruction: string): string {
  const found = last.lines.filter((line) => line.startsWith(`${instruction} `));
  assert.is(found.length, 1, instruction);
  return found[0] as string;
}

/** Joins continued lines and drops comments. */
function stagesOf(text: string): readonly Stage[] {
  const lines = text
    .replaceAll('\\\n', ' ')
    .split('\n')
    .map((line) => line.trim().replace(/\s+/g, ' '))
    .filter((line) => line !== '' && !line.startsWith('#'));
  const stages: { readonly name: string; readonly from: string; readonly lines: string[] }[] = [];
  for (const line of lines) {
    const [, from, name = ''] = /^FROM (\S+)(?: AS (\S+))?$/.exec(line) ?? [];
    if (from === undefined) stages.at(-1)?.lines.push(line);
    else stages.push({ name, from, lines: [] });
  }
  return stages;
}
