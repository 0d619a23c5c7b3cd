import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compile } from '../compile.js';
import { Source } from '../diagnostics/source.js';

const test = suite('emitted conditions');

/** Conditions, and the body of the function that decides them, without `cel.json` around each attribute. */
const CONDITIONS: readonly (readonly [condition: string, emitted: string])[] = [
  ['has(R.attr.open) && R.attr.open == true', 'R.attr.open === true'],
  ['has(R.attr.open) && R.attr.open', 'R.attr.open === true'],
  [
    'has(R.attr.open) && has(R.attr.days) && R.attr.open && R.attr.days < 3',
    'R.attr.open === true && cel.less(R.attr.days, 3)',
  ],
  ['has(R.attr.state) && R.attr.state != "DRAFT"', "cel.differs(R.attr.state, 'DRAFT')"],
  ['has(R.attr.owners) && P.id in R.attr.owners', 'cel.isStringIn(P.id, R.attr.owners)'],
  // Another attribute, the test that comes too late, and what must not be computed without need.
  ['has(R.attr.open) && R.attr.opened == true', 'R.attr.open !== undefined && R.attr.opened === true'],
  ['R.attr.open == true && has(R.attr.open)', 'R.attr.open === true && R.attr.open !== undefined'],
  ['has(R.attr.open) || R.attr.open == true', 'R.attr.open !== undefined || R.attr.open === true'],
  ['!has(R.attr.open) && R.attr.state == "DRAFT"', "R.attr.open === undefined && R.attr.state === 'DRAFT'"],
  [
    'has(R.attr.from) && timestamp(R.attr.from) == timestamp(P.attr.from)',
    'R.attr.from !== undefined && cel.isEqual(cel.toTimestamp(R.attr.from), cel.toTimestamp(P.attr.from))',
  ],
  [
    'has(R.attr.to) && size(P.attr.list) < 3 && R.attr.to == "x"',
    "R.attr.to !== undefined && cel.less(cel.size(P.attr.list), 3n) && R.attr.to === 'x'",
  ],
];

for (const [condition, emitted] of CONDITIONS)
  test(`${condition} is emitted as ${emitted}`, () => {
    const resourcePolicy = {
      resource: 'doc',
      version: 'default',
      rules: [
        { actions: ['view'], effect: 'EFFECT_ALLOW', roles: ['user'], condition: { match: { expr: condition } } },
      ],
    };
    const text = JSON.stringify({ apiVersion: 'api.authz.dev/v1', resourcePolicy });
    const { files, diagnostics } = compile([new Source('doc.yaml', text)]);
    const module = files.find(({ path }) => path === 'resource/doc.ts')?.text ?? JSON.stringify(diagnostics);
    const expected = emitted.replace(/\b[PR]\.attr\.\w+/g, 'cel.json($&)');
    assert.is(/when: \([^)]*\) =>\s+(.*?),\n\}/s.exec(module)?.[1]?.replace(/\s+/g, ' '), expected, module);
  });

test.run();
