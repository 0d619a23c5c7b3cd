import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { evaluate } from '../../packages/playground/playground/evaluate.js';
import { roles } from '../../packages/playground/playground/gallery/roles.js';
import { tenants } from '../../packages/playground/playground/gallery/tenants.js';
import { diff, matrix } from '../../packages/playground/playground/review.js';
import { begin } from '../../packages/playground/playground/suites.js';

const test = suite('the analyses of the playground');

const edited = (from: string, to: string) =>
  roles.files.map(({ path, text }) => ({ path, text: path === 'article.yaml' ? text.replace(from, to) : text }));

test('policies with tests begin with a request of them, which is allowed and denied', async () => {
  for (const { files } of [roles, tenants]) {
    const found = begin(files);
    assert.ok(found !== undefined);
    const { answer } = await evaluate({ files, request: found.request });
    assert.ok(answer?.kind === 'answered', JSON.stringify(answer));
    assert.equal(new Set(answer.decisions.map(({ isAllowed }) => isAllowed)), new Set([true, false]));
    assert.match(found.request, `"kind": "${found.kind}"`);
  }
  // Without tests, with tests that cannot be read, and with policies that do not compile, another request is made up.
  const policies = roles.files.filter(({ path }) => !path.endsWith('_test.yaml'));
  assert.is(begin(policies), undefined);
  assert.is(begin([...policies, { path: 'a_test.yaml', text: 'tests: 1' }]), undefined);
  assert.is(begin(edited('effect: EFFECT_ALLOW', 'effect: x')), undefined);
});

test('the matrix has roles by actions, with conditions', () => {
  const found = matrix(tenants.files);
  assert.ok('tables' in found);
  const [table] = found.tables;
  assert.is(table?.title, 'invoice');
  assert.equal(table?.actions, ['pay', 'view']);
  const accountant = table?.rows.find(({ title }) => title === 'accountant');
  const condition = { answer: 'condition', condition: 'R.attr.tenant == P.attr.tenant' };
  assert.equal(accountant?.cells, [condition, condition]);
});

test('a widened and a narrowed action have requests, which the page decides as they say', async () => {
  const after = edited('roles: [editor, admin]', 'roles: [reader, editor]');
  const found = await diff({ before: roles.files, after });
  assert.ok('changes' in found);
  assert.equal([...new Set(found.changes.map(({ direction }) => direction))].sort(), ['narrowed', 'widened']);
  for (const { direction, request, causes } of found.changes) {
    const isAllowed = async (files: typeof after): Promise<boolean | undefined> => {
      const { answer } = await evaluate({ files, request });
      assert.ok(answer?.kind === 'answered', JSON.stringify(answer));
      return answer.decisions[0]?.isAllowed;
    };
    assert.is(await isAllowed(after), direction === 'widened');
    assert.is(await isAllowed([...roles.files]), direction === 'narrowed');
    assert.equal(
      causes.map(({ rule }) => rule),
      ['resource.article.vdefault#editors'],
    );
  }
});

test('each direction of a change names the roles that it is about', async () => {
  const found = await diff({ before: roles.files, after: edited('roles: [reader, editor', 'roles: [writer, editor') });
  assert.ok('changes' in found);
  assert.equal(
    found.changes.map(({ title, direction, roles: named }) => [title, direction, named]),
    [
      ['view of article', 'widened', ['writer']],
      ['view of article', 'narrowed', ['reader']],
    ],
  );
});

test('equal policies are proved equal, and policies that do not compile are refused', async () => {
  const found = await diff({ before: roles.files, after: edited('readers', 'everybody') });
  assert.ok('changes' in found && found.changes.length === 0 && found.undecided.length === 0 && found.compared > 0);
  const broken = edited('effect: EFFECT_ALLOW', 'effect: MAYBE');
  assert.equal(matrix(broken), { refused: 'The policies do not compile.' });
  assert.equal(await diff({ before: roles.files, after: broken }), { refused: 'The policies do not compile.' });
  assert.equal(await diff({ before: broken, after: roles.files }), {
    refused: 'The policies that were loaded do not compile.',
  });
});

test.run();
