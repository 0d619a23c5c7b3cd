import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { evaluate } from '../../packages/playground/playground/evaluate.js';
import { requestText } from '../../packages/playground/playground/request-text.js';
import { format } from '../../packages/playground/playground/language.js';
import type { Example } from '../../packages/playground/playground/gallery/example.js';

const test = suite('the gallery of the playground');

/** As the build of the page reads it: policies are files that are bundled as text. */
const { GALLERY } = await loadGallery();

test('it shows roles, tenants, sharing, time-boxed access, hierarchies, delegation and agents', async () => {
  const names = GALLERY.map(({ name }) => name);
  for (const name of ['roles', 'tenants', 'sharing', 'time-boxed', 'hierarchy', 'delegation', 'agents'])
    assert.ok(names.includes(name), name);
  assert.is(new Set(names).size, names.length);
});

for (const { name, files, request } of GALLERY)
  test(`${name}: no problems, an allow and a denial, and tests that pass`, async () => {
    for (const file of files) assert.is(format(file), undefined, `${file.path} is not formatted`);
    const { problems, answer, tests } = await evaluate({ files, request });
    assert.equal(problems, []);
    assert.is(answer?.kind, 'answered', JSON.stringify(answer));
    const decisions = answer?.kind === 'answered' ? answer.decisions : [];
    assert.equal([...new Set(decisions.map(({ isAllowed }) => isAllowed))].sort(), [false, true]);
    assert.ok(decisions[0]?.isAllowed, 'the first action is allowed');
    if (name !== 'new') assert.is(tests?.summary.overallResult, 'RESULT_PASSED', JSON.stringify(tests));
  });

test('actors are explained one by one, and all must be allowed', async () => {
  const { files, request } = GALLERY.find(({ name }) => name === 'delegation') as Example;
  const { answer } = await evaluate({ files, request });
  assert.ok(answer?.kind === 'answered');
  assert.equal(
    answer.decisions.map(({ action, isAllowed, explanations }) => [
      action,
      isAllowed,
      explanations.map(({ id, explanation }) => `${id} ${explanation.effect}`),
    ]),
    [
      ['view', true, ['anna EFFECT_ALLOW', 'travel EFFECT_ALLOW']],
      ['edit', false, ['anna EFFECT_ALLOW', 'travel EFFECT_DENY']],
    ],
  );
});

test('requests of examples are written as those of servers are, on lines that half a screen shows', () => {
  for (const { name, request } of GALLERY) assert.is(request, requestText(JSON.parse(request)), name);
});

test('requests are written on few lines, and read back as they were', async () => {
  const request = {
    principal: { id: 'a', roles: ['user'], attr: {} },
    resource: { kind: 'k', id: '1', attr: { tags: ['a "b"', 'c: {d}'], long: 'x'.repeat(70), empty: [], none: null } },
    actions: ['view'],
  };
  const text = requestText(request);
  assert.equal(JSON.parse(text), request);
  assert.match(text, /^\{\n {2}"principal": \{ "id": "a", "roles": \["user"\], "attr": \{\} \},\n/);
  assert.ok(text.split('\n').every((line) => line.length <= 90));
});

test.run();

async function loadGallery(): Promise<{ readonly GALLERY: readonly Example[] }> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('../../packages/playground/playground/gallery/gallery.ts', import.meta.url))],
    bundle: true,
    write: false,
    format: 'esm',
    loader: { '.yaml': 'text' },
  });
  const text = Buffer.from(outputFiles[0]?.contents ?? []).toString('base64');
  return (await import(`data:text/javascript;base64,${text}`)) as { readonly GALLERY: readonly Example[] };
}
