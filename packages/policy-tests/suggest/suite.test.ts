import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isScalar, parse, parseDocument, Scalar, visit } from 'yaml';
import { suiteText } from './suite.js';

const test = suite('the text of a suggested suite');

/** Texts that readers of YAML disagree about when they are plain. */
const HOSTILE = [
  'comment:*',
  'comment:view',
  'a:b:c',
  'urn:x',
  'x:',
  ':x',
  'yes',
  'N',
  'null',
  '1:20',
  '0x1F',
  '1e3',
  '=',
  '~',
];

test('every scalar that a reader could take for something else is quoted, keys as well', () => {
  for (const text of HOSTILE) {
    const written = suiteText([
      {
        name: text,
        situation: {
          request: {
            principal: { id: text, roles: [text], attr: { [text]: text } },
            resource: { kind: text, id: text, attr: { list: [text], map: { [text]: { [text]: text } } } },
            action: text,
            auxData: { jwt: { [text]: text } },
          },
          globals: { [text]: text },
          now: '2025-01-01T00:00:00Z',
        },
        readsTime: true,
        effect: 'EFFECT_ALLOW',
      },
    ]);
    let found = 0;
    visit(parseDocument(written), {
      Scalar: (_key, node) => {
        if (!isScalar(node) || typeof node.source !== 'string') return;
        if (node.source === text) found += 1;
        if (node.type === Scalar.PLAIN) assert.match(node.source, /^[A-Za-z_][\w.-]*$/, written);
      },
    });
    assert.ok(found >= 14, `${found} scalars of ${written}`);
    const { tests } = parse(written) as { readonly tests: readonly { readonly name: unknown }[] };
    assert.is(tests[0]?.name, text);
  }
});

test.run();
