import { existsSync, readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseCel } from '../../packages/cel/parse/index.js';
import { skip } from '../support/skip.js';

interface RecordedCase {
  readonly id: string;
  readonly expr: string;
  readonly wantError?: string;
  readonly errorKind?: string;
}

const recorded = new URL('../../../shared/cases/cel-cases.json', import.meta.url);
/**
 * The messages of the lexer and the parser. All others come from the type checker
 * (docs/spec/conditions.md#compile-time-messages).
 */
const ofParser = [
  'Syntax error: ',
  'reserved identifier: ',
  'invalid int literal',
  'invalid uint literal',
  'invalid double literal',
  'invalid unicode code point',
  'expression recursion limit exceeded',
  'max recursion depth exceeded',
  'expression code point size',
  'argument is not an identifier',
  'argument must be a simple name',
  'duplicate variable name',
  'iteration variable overwrites',
  'cel.bind() variable names',
  'invalid argument to has() macro',
  'sortBy can only be',
  'math.greatest() ',
  'math.least() ',
];

if (existsSync(recorded)) {
  const cases = (JSON.parse(readFileSync(recorded, 'utf8')) as { readonly cases: readonly RecordedCase[] }).cases;

  test('an expression recorded with a value, a runtime error or a type error parses', () => {
    const accepted = cases.filter((recordedCase) => !isOfParser(recordedCase));
    for (const { id, expr } of accepted) assert.equal(parseCel(expr).errors, [], id);
    console.log(`${accepted.length} recorded expressions accepted`);
  });

  test('a recorded syntax error has the recorded message', () => {
    const refused = cases.filter(isOfParser);
    for (const { id, expr, wantError } of refused) {
      assert.is(
        parseCel(expr)
          .errors.map(({ message }) => message)
          .join(', '),
        wantError,
        `${id}: ${expr}`,
      );
    }
    console.log(`${refused.length} recorded expressions refused in the recorded words`);
  });
} else {
  skip(import.meta.url, 'the recorded CEL cases are not here (../shared/cases)');
}

test.run();

function isOfParser({ errorKind, wantError }: RecordedCase): boolean {
  return errorKind === 'compile' && ofParser.some((prefix) => wantError?.startsWith(prefix));
}
