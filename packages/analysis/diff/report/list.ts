import { visible, visibleJson } from '../../../../compiler/diagnostics/visible.js';
import type { ReadChange } from '../../facts/lock.js';
import type { DiffResult, DiffRow, GrantChange } from '../report.js';
import { DIRECTIONS, solverNote, verdictWord } from './paragraphs.js';

/**
 * A line for each row, also for those that are unchanged: kind, version, scope (`-` is the root), action, verdict, and
 * then what else there is to say; and one for each change of grants, and of what decisions read. A name with a space or a quote is written as a JSON
 * string.
 */
export function diffList(report: DiffResult): string {
  const note = solverNote(report);
  const lines = [
    ...report.rows.map(formatLine),
    ...report.grants.map(grantLine),
    ...report.reads.map(readLine),
    ...(note === undefined ? [] : [`note: ${note}`]),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function formatLine(row: DiffRow): string {
  const { kind, version, scope, principal, action, named, verdict, roles, combined } = row;
  return [
    word(kind),
    word(version),
    scope === '' ? '-' : word(scope),
    `${named ? '' : '~'}${word(action)}`,
    verdictWord(verdict).replace(' ', '-'),
    ...(principal === null ? [] : [`principal=${word(principal.id)}`]),
    ...(principal?.scope ? [`principal-scope=${word(principal.scope)}`] : []),
    ...(principal?.version === undefined ? [] : [`principal-version=${word(principal.version)}`]),
    ...(roles.length === 0 ? [] : [`roles=${roles.map(word).join(',')}`]),
    ...(combined ? ['roles=combined'] : []),
    ...DIRECTIONS.flatMap(({ name, noun }) => {
      const answer = row[name];
      return answer.answer === '?' ? [`undecided=${noun}:${answer.reason.replaceAll(' ', '-')}`] : [];
    }),
    ...DIRECTIONS.flatMap(({ name }) => {
      const answer = row[name];
      return answer.answer === 'no' || answer.request === undefined ? [] : [visibleJson(answer.request)];
    }),
  ].join(' ');
}

function grantLine({ change, scope, rolePrefix, role, resource, actions }: GrantChange): string {
  return [
    `grant: ${change}`,
    `role=${word(role)}`,
    `kind=${word(resource)}`,
    `actions=${actions.map(word).join(',')}`,
    `scope=${word(scope)}`,
    `prefix=${word(rolePrefix)}`,
  ].join(' ');
}

function readLine({ kind, action, change, path, roles }: ReadChange): string {
  return [
    `reads: ${change === 'also reads' ? 'added' : 'removed'}`,
    `kind=${word(kind)}`,
    `action=${word(action)}`,
    `path=${word(path)}`,
    ...(roles.length === 0 ? [] : [`roles=${roles.map(word).join(',')}`]),
  ].join(' ');
}

function word(text: string): string {
  return /^[^\s"~,=-][^\s",]*$/.test(text) ? visible(text) : visibleJson(text);
}
