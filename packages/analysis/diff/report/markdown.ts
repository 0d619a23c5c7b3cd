import { visibleJson } from '../../../../compiler/diagnostics/visible.js';
import { code, formatCode, comment, inCode, listed, MOST_NAMES } from '../../report/markdown.js';
import type { ReadChange } from '../../facts/lock.js';
import { chooseVerb } from '../../facts/report/changes.js';
import type { DiffAnswer, DiffResult, GrantChange } from '../report.js';
import {
  countVerdicts,
  DIRECTIONS,
  narrowedTo,
  type Paragraph,
  makeParagraphs,
  reasonText,
  requestParts,
  solverNote,
  verdictWord,
} from './paragraphs.js';

/** The last line: a bot finds its comment by it, to replace it. */
const MARKER = '<!-- authzc-diff -->';

/**
 * A report for a comment on a pull request: a table of what changed, and the requests that show it. All texts of
 * policies are code, in which nothing is a link, a mention or a tag.
 */
export function markdownDiff(report: DiffResult): string {
  return comment({
    title: formatTitle(report),
    head: ['| | kind | actions | roles | example |', '|---|---|---|---|---|'],
    items: makeParagraphs(report),
    rowOf: formatRow,
    requestsOf: formatRequests,
    end: formatEnd(report),
  });
}

function formatTitle(report: DiffResult): string {
  const { rows, unchanged } = report.summary;
  const grants = report.grants.length === 0 ? '' : ', other grants to tenants';
  if (rows === unchanged) return `### Policies: ${rows === 0 ? 'nothing to compare' : 'no decision changes'}${grants}`;
  const counts = countVerdicts(report).filter(([word, count]) => word !== 'unchanged' && count > 0);
  return `### Policies: ${[...counts.map(([word, count]) => `${count} ${word}`), `${unchanged} unchanged`].join(', ')}${grants}`;
}

function formatEnd(report: DiffResult): string {
  const { unchanged } = report.summary;
  const narrowed = narrowedTo(report);
  const note = solverNote(report);
  const also = report.alsoChanged.map(({ what, rule }) => `${what} of ${code(rule)}`);
  return [
    ...report.grants.slice(0, MOST_NAMES).flatMap((grant) => [grantText(grant), '']),
    ...(report.grants.length <= MOST_NAMES ? [] : [`… and ${report.grants.length - MOST_NAMES} more grants.`, '']),
    ...report.reads.slice(0, MOST_NAMES).flatMap((change) => [readText(change), '']),
    ...(report.reads.length <= MOST_NAMES ? [] : [`… and ${report.reads.length - MOST_NAMES} more reads.`, '']),
    ...(also.length === 0 ? [] : [`Also changed, and not compared: ${listed(also)}.`, '']),
    ...(narrowed === undefined ? [] : [`Only ${code(narrowed)} was compared.`, '']),
    ...(note === undefined ? [] : [`${note}.`, '']),
    `${unchanged} ${unchanged === 1 ? 'row' : 'rows'} proved unchanged. ${MARKER}`,
  ].join('\n');
}

function grantText({ change, scope, rolePrefix, role, resource, actions }: GrantChange): string {
  const what = `the role ${code(role)} for ${listed(actions.map(code))} of ${code(resource)}`;
  const who = `Tenants (${code(rolePrefix)} of ${code(scope)})`;
  return change === 'added'
    ? `${SIGNS.widened} ${who} may now give ${what}.`
    : `${SIGNS.narrowed} ${who} may no longer give ${what}.`;
}

function readText({ kind, action, change, path, roles, lines }: ReadChange): string {
  const who = roles.length === 0 ? '' : ` for ${listed(roles.map(code))}`;
  const where = lines.length === 0 ? '' : ` (${listed(lines.map(code))})`;
  return `${code(kind)}: ${code(action)} ${chooseVerb(change)} ${code(path)}${who}${where}.`;
}

function formatRow({ row, actions, kinds }: Paragraph): string {
  const { version, scope, principal, verdict, roles, combined } = row;
  const word = verdictWord(verdict);
  const where = [
    ...(version === 'default' ? [] : [`version ${code(version)}`]),
    ...(scope === '' ? [] : [`scope ${code(scope)}`]),
    ...(principal === null ? [] : [`principal ${code(principal.id)}`]),
  ];
  const cells = [
    `${SIGNS[word]} ${word}`,
    `${listed(kinds.map(code))}${where.length === 0 ? '' : ` (${where.join(', ')})`}`,
    listed(actions.map(code)),
    combined ? 'combined' : listed(roles.map(code)),
    DIRECTIONS.flatMap(({ name, noun }) => formatExample(row[name], name, noun)).join('<br>'),
  ];
  return `| ${cells.join(' | ')} |`;
}

const SIGNS = { unchanged: '', widened: '🔺', narrowed: '🔻', mixed: '🔀', 'not decided': '❔' } as const;

function formatExample(answer: DiffAnswer, name: 'widened' | 'narrowed', noun: string): readonly string[] {
  switch (answer.answer) {
    case 'no':
      return [];
    case '?':
      return [
        `${noun} not decided: ${reasonText({ ...answer, uninterpreted: answer.uninterpreted.slice(0, MOST_NAMES) }, code)}`,
      ];
    case 'yes': {
      const { principal, resource, action } = answer.request;
      const may = name === 'widened' ? 'may now' : 'may no longer';
      const attributes = Object.keys(resource.attr).length === 0 ? '' : ` ${formatCode(visibleJson(resource.attr))}`;
      return [`${code(principal.id)} [${listed(principal.roles.map(code))}] ${may} **${code(action)}**${attributes}`];
    }
  }
}

function formatRequests({ row }: Paragraph): readonly string[] {
  return DIRECTIONS.flatMap(({ name }) => {
    const answer = row[name];
    if (answer.answer === 'no' || answer.request === undefined) return [];
    const { request } = answer;
    const parts = Object.fromEntries([...requestParts({ request }), ['action', request.action]]);
    const effects = answer.answer === 'yes' ? [answer.before, answer.after] : [];
    const result = effects.map((effect) => (effect === 'EFFECT_ALLOW' ? 'ALLOW' : 'DENY')).join(' → ');
    return [`- \`${inCode(visibleJson(parts))}\`: ${result || 'refutes a proof'}`];
  });
}
