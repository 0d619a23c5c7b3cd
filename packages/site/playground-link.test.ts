import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { evaluate } from '../playground/playground/evaluate.js';
import { stateIn, unpacked } from '../playground/playground/fragment.js';
import { repositoryFiles } from './files.js';
import { findPlayground, withoutPlaygroundLink, withPlaygroundLink } from './playground-link.js';

const test = suite('links from guides into the playground');

const GUIDES = repositoryFiles.list('docs/guides').filter((path) => path.endsWith('.md'));
const linked = GUIDES.filter((path) => findPlayground(repositoryFiles.read(path)) !== undefined);

test('the guides with policies of their own have a link', () => {
  for (const name of ['multi-tenant', 'sharing-links', 'hierarchies', 'time-boxed-access'])
    assert.ok(linked.includes(`docs/guides/${name}.md`), name);
});

for (const path of linked)
  test(`${path}: the link opens, compiles without a problem, allows something, and its tests pass`, async () => {
    const page = await withPlaygroundLink(repositoryFiles.read(path), '../playground/index.html');
    assert.is(withoutPlaygroundLink(page), repositoryFiles.read(path));
    const [, hash = ''] = /href="\.\.\/playground\/index\.html(#playground=[\w-]+)"/.exec(page) ?? [];
    const state = stateIn(hash);
    assert.ok(state !== undefined);
    const { problems, answer, tests } = await evaluate(await unpacked(state));
    assert.equal(problems, []);
    assert.ok(answer?.kind === 'answered', JSON.stringify(answer));
    assert.ok(answer.decisions.some(({ isAllowed }) => isAllowed));
    assert.is(tests?.summary.overallResult, 'RESULT_PASSED', JSON.stringify(tests));
  });

test('a page without policies stays as it is', async () => {
  const page = '# Title\n\nText.\n\n## Section\n';
  assert.is(await withPlaygroundLink(page, 'x'), page);
});

test.run();
