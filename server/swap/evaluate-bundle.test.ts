import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bytesInUse } from '../../tests/support/heap.js';
import { ConfigError } from '../config/config-error.js';
import { evaluateBundle } from './evaluate-bundle.js';

const POLICIES = "{ hash: 'h', resourcePolicies: [], principalPolicies: [], rolePolicies: [] }";

async function refusal(text: string): Promise<string> {
  const error = await evaluateBundle(text, '/b/policies.js').then(
    () => new Error('was taken'),
    (thrown: Error) => thrown,
  );
  assert.instance(error, ConfigError);
  return error.message;
}

test('the bundle is the last export list of the file', async () => {
  const bundle = await evaluateBundle(
    `var a = ${POLICIES};\nvar traced = async () => ({ conditions: new Map() });\nexport {\n  a as policies,\n  traced\n};\n//# sourceMappingURL=policies.js.map\n`,
    '/b/policies.js',
  );
  assert.is(bundle.policies.hash, 'h');
  assert.is((await bundle.traced?.())?.conditions.size, 0);
});

test('a handwritten module is accepted', async () => {
  const { policies, traced } = await evaluateBundle(`export const policies = ${POLICIES};\n`, '/b/policies.js');
  assert.equal([policies.hash, traced], ['h', undefined]);
});

test('the code is strict, and its stack traces name the file', async () => {
  assert.match(
    await refusal(`undeclared = 1;\nvar policies = ${POLICIES};\nexport { policies };\n`),
    'undeclared is not defined',
  );
  const text = `var fail = () => { throw new Error('x'); };\nvar policies = ${POLICIES.replace("'h'", "'h', fail")};\nexport { policies };\n`;
  const { policies } = await evaluateBundle(text, '/b/policies.js');
  let stack = '';
  try {
    (policies as unknown as { readonly fail: () => void }).fail();
  } catch (error) {
    stack = (error as Error).stack ?? '';
  }
  assert.match(stack, '/b/policies.js:1:');
});

test('an invalid bundle is rejected with its file and the reason', async () => {
  assert.match(
    await refusal('export const nothing = 1;\n'),
    '/b/policies.js: is not a compiled bundle: it does not export `policies`',
  );
  assert.match(
    await refusal("var policies = { hash: 'h' };\nexport { policies };\n"),
    '`policies.resourcePolicies` is not a list',
  );
  assert.match(
    await refusal(`var policies = ${POLICIES.replace("'h'", '1')};\nexport { policies };\n`),
    '`policies.hash` is not a string',
  );
  assert.match(await refusal('this is no module ('), 'cannot be loaded');
  assert.match(await refusal('throw new Error("at once");\nexport {\n};\n'), 'at once');
});

test('syntax that only modules have is evaluated as such', async () => {
  const meta = `var policies = ${POLICIES.replace("'h'", 'String(typeof import.meta)')};\nexport { policies };\n`;
  assert.is((await evaluateBundle(meta, '/b/policies.js')).policies.hash, 'object');
  const late = `var policies = await ${POLICIES};\nexport { policies };\n`;
  assert.is((await evaluateBundle(late, '/b/policies.js')).policies.hash, 'h');
});

/** What looks like syntax of modules and is not: strings, templates over several lines, comments, properties. */
const ALIKE = [
  `var meta = ['import.meta', "import.meta.url", \`import.meta\nimport a from 'b';\nexport const c = 1;\n\`];`,
  '/*\nimport.meta\nexport { meta };\n*/ // import.meta',
  'var names = { import: { meta: 1 } };\nnames.import.meta;',
].join('\n');

test('three thousand bundles leak no memory', async () => {
  const functions = Array.from(
    { length: 40 },
    (_, index) =>
      `var f${index} = (request) => request.principal.id === 'p${index}' && request.resource.id !== '${'x'.repeat(100)}';`,
  ).join('\n');
  const body = `${functions}\n${ALIKE}`;
  const load = async (from: number, to: number): Promise<void> => {
    for (let index = from; index < to; index++)
      await evaluateBundle(
        `// ${index}\n${body}\nvar policies = ${POLICIES};\nexport { policies };\n`,
        '/b/policies.js',
      );
  };
  await load(0, 20);
  const before = bytesInUse();
  await load(20, 3020);
  const grown = (bytesInUse() - before) / 1e6;
  assert.ok(grown < 3, `${grown.toFixed(1)} MB; the texts alone are ${((body.length * 3000) / 1e6).toFixed(1)} MB`);
});

test.run();
