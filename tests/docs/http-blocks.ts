import { type Block, titleOf } from '../support/docs/blocks.js';
import { difference, matchesText } from '../support/docs/expected.js';
import { LAST_RESORT } from '../support/timeout.js';

/**
 * Sends the request of a block (`METHOD PATH`, headers, an empty line and a body) and compares the response with the
 * part after the line `HTTP/1.1 STATUS`.
 */
export async function runHttp(block: Block, base: string): Promise<readonly string[]> {
  const [question = '', answer] = block.text.split(/^(?=HTTP\/)/m);
  if (answer === undefined) return [`${titleOf(block)}: it shows no answer: \`HTTP/1.1 200\``];
  const { first, headers, body } = partsOf(question);
  const [method = '', path = ''] = first.split(' ');
  const response = await fetch(new URL(path, base), {
    method,
    signal: AbortSignal.timeout(LAST_RESORT),
    headers: Object.fromEntries(headers),
    ...(body === '' ? {} : { body }),
  });
  const text = await response.text();
  const expected = partsOf(answer);
  const status = Number(expected.first.split(' ')[1]);
  if (status !== response.status) return [`${titleOf(block)}: the status is ${response.status}: ${text}`];
  const wrong = expected.headers
    .filter(([name, value]) => !matchesText(response.headers.get(name) ?? '', value))
    .map(([name]) => `${name} is ${response.headers.get(name)}`);
  const problem = expected.body === '' ? undefined : bodyProblem(text, expected.body);
  return [...wrong, ...(problem === undefined ? [] : [problem])].map((line) => `${titleOf(block)}: ${line}`);
}

function bodyProblem(actual: string, expected: string): string | undefined {
  if (!expected.startsWith('{')) return matchesText(actual, expected) ? undefined : `the body is ${actual}`;
  return difference(JSON.parse(actual), JSON.parse(expected));
}

interface Parts {
  readonly first: string;
  readonly headers: readonly [string, string][];
  readonly body: string;
}

function partsOf(text: string): Parts {
  const end = text.indexOf('\n\n');
  const head = end < 0 ? text : text.slice(0, end);
  const [first = '', ...headers] = head.trimEnd().split('\n');
  return {
    first,
    headers: headers.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
    body: end < 0 ? '' : text.slice(end + 2).trim(),
  };
}
