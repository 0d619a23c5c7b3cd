import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Diagnostics } from './diagnostic.js';
import { toReport } from './json.js';
import { Source } from './source.js';
import type { Place } from './span.js';

const source = new Source('a.yaml', 'first: 1\nroles: [ownr]\n');

function place(text: string, path: string): Place {
  const start = source.text.indexOf(text);
  return { span: { source, start, end: start + text.length }, anchor: start, path };
}

function makeReport(fill: (diagnostics: Diagnostics) => void) {
  const diagnostics = new Diagnostics();
  fill(diagnostics);
  return JSON.parse(JSON.stringify(toReport(diagnostics.sorted())));
}

test('a diagnostic has stage, kind, file, message and position', () => {
  const { errors, warnings } = makeReport((diagnostics) =>
    diagnostics.add(
      'derived-role/unknown',
      place('ownr', '$.roles[0]'),
      { name: 'ownr' },
      { notes: [{ message: 'did you mean `owner`?' }] },
    ),
  );
  assert.equal(warnings, []);
  assert.equal(errors, [
    {
      stage: 'compile',
      kind: 'unknown derived role',
      file: 'a.yaml',
      message: 'Derived role "ownr" is not defined in any imports',
      position: { line: 2, column: 9, path: '$.roles[0]' },
      code: 'derived-role/unknown',
      severity: 'error',
      text: 'Derived role "ownr" is not defined in any imports',
      span: { start: { line: 2, column: 9 }, end: { line: 2, column: 13 } },
      notes: [{ message: 'did you mean `owner`?' }],
    },
  ]);
});

test('missing fields of a diagnostic are omitted', () => {
  const facts = { policy: 'resource.a.vdefault', otherFile: 'b.yaml' };
  const { errors } = makeReport((diagnostics) => diagnostics.add('policy/duplicate', undefined, facts, { facts }));
  const [{ text, ...rest }] = errors;
  assert.match(text, 'previous definition in b.yaml');
  assert.equal(rest, {
    stage: 'load',
    kind: 'duplicate definition',
    ...facts,
    code: 'policy/duplicate',
    severity: 'error',
  });
});

test('the position of a whole document has no path', () => {
  const { errors } = makeReport((diagnostics) => diagnostics.add('output/empty', place('first', ''), {}));
  assert.equal(errors[0].position, { line: 1, column: 1 });
});

test('warnings are separate; a disabled document is listed with the errors that it may have caused', () => {
  const { errors, warnings } = makeReport((diagnostics) => {
    diagnostics.add('policy/disabled', place('first', ''), { policy: 'p' }, { facts: { policy: 'p' } });
    diagnostics.add('scope/permissions-differ', undefined, { scope: 'a' }, { facts: { scope: 'a' } });
  });
  assert.equal(
    errors.map((error: { kind: string }) => error.kind),
    ['disabled policy'],
  );
  assert.equal(
    warnings.map((warning: { scope: string }) => warning.scope),
    ['a'],
  );
});

test.run();
