import { Diagnostics } from '../../../compiler/diagnostics/diagnostic.js';
import type { Diagnostic } from '../../../compiler/diagnostics/diagnostic.js';
import type { Source } from '../../../compiler/diagnostics/source.js';
import type { Located } from '../../../compiler/diagnostics/span.js';
import type { SuiteFiles } from '../../../compiler/load/index.js';
import { testFilter } from '../../policy-tests/filter.js';
import { testCalls } from '../../policy-tests/run-tests.js';
import { requireWords, type Vocabulary } from '../../../compiler/validate/vocabulary.js';

/** Roles of principals and actions of tests that the project does not declare. */
export function undeclaredInTests(suites: readonly SuiteFiles[], vocabulary: Vocabulary): readonly Diagnostic[] {
  const report = new Diagnostics();
  if (vocabulary.roles === undefined && vocabulary.actions === undefined) return [];
  for (const suite of suites) {
    const { file, principals } = suite;
    if ('unreadable' in file) continue;
    const calls = testCalls([suite], { filter: testFilter([]), skipBatching: false, traced: false });
    const sources = [file, principals].flatMap((own) => (own !== undefined && 'source' in own ? own.source : []));
    const located = (what: string, words: readonly string[]): readonly Located<string>[] =>
      [...new Set(words)].map((word) => locate(what, word, sources, file.source));
    // Words are compared as they are: a test has no globs.
    const exactly = (word: string) => (other: string) => other === word;
    const roles = calls.flatMap(({ question }) => question.principal.roles);
    const actions = calls.flatMap(({ question }) => question.actions);
    requireWords('role', located('roles', roles), vocabulary.roles, report, exactly);
    requireWords('action', located('actions', actions), vocabulary.actions, report, exactly);
  }
  return report.sorted();
}

/** The first place of a word on a line with the name of its list, or else the first place at all. */
function locate(list: string, word: string, sources: readonly Source[], suite: Source): Located<string> {
  const places = sources.flatMap((source) => occurrences(word, source.text).map((start) => ({ source, start })));
  const isListed = ({ source, start }: (typeof places)[number]): boolean =>
    source.text.slice(source.text.lastIndexOf('\n', start) + 1, start).includes(`${list}:`);
  const { source, start } = places.find(isListed) ?? places[0] ?? { source: suite, start: 0 };
  const span = { source, start, end: start + word.length };
  return { value: word, place: { span, anchor: start, path: '' } };
}

function occurrences(word: string, text: string): readonly number[] {
  const found: number[] = [];
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (!isPartOfName(text[at - 1]) && !isPartOfName(text[at + word.length])) found.push(at);
  return found;
}

function isPartOfName(character: string | undefined): boolean {
  return character !== undefined && /[\w-]/.test(character);
}
