import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseDocument } from 'yaml';
import { ROOT } from '../support/compiled.js';

const test = suite('files for contributors');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

test('the workflows, the issue forms and the devcontainer can be parsed', () => {
  const templates = readdirSync(join(ROOT, '.github/ISSUE_TEMPLATE')).map((name) => `.github/ISSUE_TEMPLATE/${name}`);
  for (const path of ['.github/workflows/ci.yml', '.github/workflows/publish.yml', ...templates]) {
    const document = parseDocument(read(path));
    assert.equal([...document.errors, ...document.warnings], [], path);
  }
  assert.equal(JSON.parse(read('.devcontainer/devcontainer.json')).forwardPorts, [3592, 3593]);
});

test('the workflow runs the CI script, on the minimum Node version of package.json', () => {
  const { test: job } = parseDocument(read('.github/workflows/ci.yml')).toJS().jobs as {
    readonly test: { readonly container: string; readonly steps: readonly { readonly run?: string }[] };
  };
  assert.ok(job.steps.some(({ run }) => run === '.ci/run'));
  const { engines } = JSON.parse(read('package.json')) as { readonly engines: { readonly node: string } };
  assert.is(job.container.split(/[:-]/)[1]?.replace(/\.0$/, ''), engines.node.replace('>=', ''));
});

test('a tag publishes the package with provenance, on a Node version that CI tests', () => {
  const { on, permissions, jobs } = parseDocument(read('.github/workflows/publish.yml')).toJS() as {
    readonly on: { readonly push: { readonly tags: readonly string[] } };
    readonly permissions: { readonly [name: string]: string };
    readonly jobs: {
      readonly publish: {
        readonly steps: readonly { readonly run?: string; readonly with?: { readonly 'node-version': string } }[];
      };
    };
  };
  assert.equal(on.push.tags, ['v*']);
  assert.is(permissions['id-token'], 'write');
  const { steps } = jobs.publish;
  assert.ok(steps.some(({ run }) => run?.includes('npm publish --provenance')));
  const node = steps.find((step) => step.with !== undefined)?.with?.['node-version'] ?? '';
  const [, tested = ''] = /^NODES=.*'(.*)'\}$/m.exec(read('.ci/run')) ?? [];
  assert.ok(tested.split(' ').includes(node), node);
});

test('every script that the pages for contributors name exists', () => {
  const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: { readonly [name: string]: string } };
  for (const path of ['CONTRIBUTING.md', 'tests/README.md', 'ARCHITECTURE.md', '.github/PULL_REQUEST_TEMPLATE.md']) {
    const names = [...read(path).matchAll(/npm run (?:--silent )?([\w:-]+)(?!\*)\b(?!:\*)/g)].map(
      ([, name = '']) => name,
    );
    assert.equal(
      names.filter((name) => scripts[name] === undefined),
      [],
      path,
    );
  }
});

test('the changelog has a section for unreleased changes, and only known headings', () => {
  const headings = [...read('CHANGELOG.md').matchAll(/^(#{2,3}) (.*)$/gm)].map(([, , heading = '']) => heading);
  assert.is(headings[0], '[Unreleased]');
  const isKnown = (heading: string): boolean =>
    /^\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d$|^(Added|Changed|Decisions|Deprecated|Removed|Fixed|Security)$/.test(heading);
  assert.equal(
    headings.slice(1).filter((heading) => !isKnown(heading)),
    [],
  );
});

test.run();
