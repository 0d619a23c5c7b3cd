import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Compilation, compile } from './compile.js';
import { Source } from './diagnostics/source.js';

const test = suite('compilations');

const TEXT = JSON.stringify({
  apiVersion: 'api.authz.dev/v1',
  resourcePolicy: {
    resource: 'note',
    version: 'default',
    rules: [{ actions: ['view'], effect: 'EFFECT_ALLOW', roles: ['user'] }],
  },
});

const emitsLater = (compilation: Compilation): boolean =>
  Object.getOwnPropertyDescriptor(compilation, 'files')?.get !== undefined;

test('files are emitted when they are first read, once, also of a compilation with more properties', () => {
  const compilation = compile([new Source('note.yaml', TEXT)]);
  const more = Object.assign(compilation, { folder: 'policies' });
  assert.ok(emitsLater(compilation) && emitsLater(more));
  assert.is(more.files, compilation.files);
  assert.is(more.files, more.files);
  assert.ok(more.files.some(({ path }) => path === 'resource/note.ts'));
  assert.is(more.folder, 'policies');
  assert.is(more.program, compilation.program);
});

test('what is refused has no files', () => {
  assert.equal(compile([new Source('note.yaml', '{')]).files, []);
});

test.run();
