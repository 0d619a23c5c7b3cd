import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type TableToken, withoutEmptyHeads } from './tables.js';

const test = suite('tables of the site');

const token = (type: string, tag: string, content = ''): TableToken => ({ type, tag, content });

/** The tokens that markdown-it makes of a table with one row. */
function tableOf(head: readonly string[], row: readonly string[]): TableToken[] {
  const cells = (texts: readonly string[], name: string): TableToken[] =>
    texts.flatMap((text) => [token(`${name}_open`, name), token('inline', '', text), token(`${name}_close`, name)]);
  return [
    token('table_open', 'table'),
    token('thead_open', 'thead'),
    ...cells(head, 'th'),
    token('thead_close', 'thead'),
    token('tbody_open', 'tbody'),
    ...cells(row, 'td'),
    token('tbody_close', 'tbody'),
    token('table_close', 'table'),
  ];
}

/** The tags and texts of tokens, as the page has them. */
const shown = (tokens: readonly TableToken[]): string =>
  tokens
    .map(({ type, tag, content }) => (type === 'inline' ? content : type.endsWith('_open') ? `<${tag}>` : `</${tag}>`))
    .join('');

const BODY = '<tbody><td>a</td><td>b</td></tbody></table>';

test('a head without words is left out', () => {
  assert.is(shown(withoutEmptyHeads(tableOf(['', ''], ['a', 'b']))), `<table>${BODY}`);
});

test('an empty header is a cell; others stay headers', () => {
  for (const [head, expected] of [
    [['', 'x'], '<td></td><th>x</th>'],
    [['x', ''], '<th>x</th><td></td>'],
    [['x', 'y'], '<th>x</th><th>y</th>'],
  ] as const)
    assert.is(shown(withoutEmptyHeads(tableOf(head, ['a', 'b']))), `<table><thead>${expected}</thead>${BODY}`);
});

test('an empty cell of a body stays, and each table is seen for itself', () => {
  const page = [
    ...tableOf(['', ''], ['a', 'b']),
    token('paragraph_open', 'p'),
    token('inline', '', 'words'),
    token('paragraph_close', 'p'),
    ...tableOf(['x', 'y'], ['', 'b']),
  ];
  assert.is(
    shown(withoutEmptyHeads(page)),
    `<table>${BODY}<p>words</p><table><thead><th>x</th><th>y</th></thead><tbody><td></td><td>b</td></tbody></table>`,
  );
});

test.run();
