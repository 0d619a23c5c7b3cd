import type { Paint } from '../../../../compiler/diagnostics/paint.js';
import { visible, visibleJson } from '../../../../compiler/diagnostics/visible.js';
import { changeText } from '../../facts/report/changes.js';
import type { Cause, DiffAnswer, DiffResult, GrantChange, RulePlace, WitnessRequest } from '../report.js';
import {
  countVerdicts,
  DIRECTIONS,
  narrowedTo,
  type Paragraph,
  makeParagraphs,
  listCoordinates,
  reasonText,
  type ReportStyle,
  requestParts,
  solverNote,
  verdictWord,
} from './paragraphs.js';

/** How a report is shown on a terminal. */
export interface PrettyStyle extends ReportStyle {
  readonly paint: Paint;
  /** How long it took, in milliseconds; not shown if undefined. */
  readonly took?: number | undefined;
}

/** A report for people: a paragraph for rows that changed alike, and a summary. */
export function prettyDiff(report: DiffResult, style: PrettyStyle): string {
  const lines: string[] = [];
  let point = '';
  for (const paragraph of makeParagraphs(report)) {
    const own = JSON.stringify([listCoordinates(paragraph.row), paragraph.kinds]);
    if (own !== point) lines.push(...(lines.length === 0 ? [] : ['']), formatHeading(paragraph, style));
    point = own;
    lines.push(...paragraphLines(paragraph, style));
  }
  if (lines.length > 0) lines.push('');
  lines.push(...formatEnd(report, style));
  return lines.map((line) => `${line}\n`).join('');
}

/** More kinds are counted. */
const MOST_KINDS = 5;

function formatHeading({ row: { version, scope, principal }, kinds }: Paragraph, { paint }: PrettyStyle): string {
  const left = kinds.length - MOST_KINDS;
  const shown = kinds.slice(0, MOST_KINDS).map((kind) => paint.strong(visible(kind)));
  return [
    `${shown.join(', ')}${left > 0 ? ` and ${left} more ${left === 1 ? 'kind' : 'kinds'}` : ''}`,
    ...(version === 'default' ? [] : [`version ${visible(version)}`]),
    ...(scope === '' ? [] : [`scope ${visible(scope)}`]),
    ...(principal === null ? [] : [`principal ${visible(principal.id)}`]),
    ...(principal?.version === undefined ? [] : [`principal version ${visible(principal.version)}`]),
    ...(principal?.scope ? [`principal scope ${visible(principal.scope)}`] : []),
  ].join('   ');
}

function paragraphLines({ row, actions }: Paragraph, style: PrettyStyle): readonly string[] {
  const { verdict, roles, combined, causes } = row;
  const label = style.paint.mark(verdictWord(verdict).toUpperCase());
  const who = combined ? 'roles: combined' : `roles: ${roles.map(visible).join(', ')}`;
  return [
    `  ${label}   ${actions.map(visible).join(', ')}${roles.length > 0 || combined ? `   ${who}` : ''}`,
    ...DIRECTIONS.flatMap(({ name }) => witnessLines(row[name], name, style)),
    ...causes.map((cause) => `    because  ${causeText(cause, style)}`),
    ...DIRECTIONS.flatMap(({ name, noun }) => proofLine(row[name], name, noun)),
  ];
}

function witnessLines(
  answer: DiffAnswer,
  direction: 'widened' | 'narrowed',
  { paint, pathOf }: PrettyStyle,
): readonly string[] {
  if (answer.answer !== 'yes') return [];
  const { principal, resource, action } = answer.request;
  const [verb, end] = direction === 'widened' ? ['may', 'now'] : ['may not', 'any more'];
  const who = `${visible(principal.id)} [${principal.roles.map(visible).join(', ')}]`;
  const decided = (rule: RulePlace | null, side: 'old' | 'new'): string =>
    rule === null ? 'no rule allows' : `${ruleName(rule)}, ${paint.faint(placeText(rule, side, { pathOf }))}`;
  const effect = (name: 'EFFECT_ALLOW' | 'EFFECT_DENY'): string => (name === 'EFFECT_ALLOW' ? 'ALLOW' : 'DENY ');
  return [
    `    ${who} ${verb} ${visible(action)} ${visible(resource.kind)} ${visible(resource.id)} ${end}`,
    ...partLines(answer),
    `      before     ${effect(answer.before)}  ${decided(answer.decidedBy.before, 'old')}`,
    `      after      ${effect(answer.after)}  ${decided(answer.decidedBy.after, 'new')}`,
  ];
}

function partLines(shown: { readonly request: WitnessRequest }): readonly string[] {
  return requestParts(shown).map(([name, part]) => `      ${name.padEnd(9)}  ${visibleJson(part)}`);
}

function proofLine(answer: DiffAnswer, name: string, noun: string): readonly string[] {
  switch (answer.answer) {
    case 'no':
      return [`    not ${name}: proved`];
    case '?':
      return [
        `    ${noun}: not decided, ${reasonText(answer, visible)}`,
        ...(answer.request === undefined ? [] : partLines({ request: answer.request })),
      ];
    case 'yes':
      return [];
  }
}

function causeText(cause: Cause, { paint, pathOf }: PrettyStyle): string {
  const { side, condition } = cause;
  const place = paint.faint(placeText(cause, side === 'old' ? 'old' : 'new', { pathOf }));
  const change =
    condition === undefined
      ? CHANGES[side]
      : `${oneLine(condition.before)} ${paint.strong('→')} ${oneLine(condition.after)}`;
  return [`${ruleName(cause)}, ${place}`, ...(change === '' ? [] : [change])].join('   ');
}

const CHANGES = { old: 'removed', new: 'added', both: 'changed' } as const;

/** The rule without its policy, which the heading and the place tell. */
function ruleName({ rule }: RulePlace): string {
  return visible(rule.slice(rule.indexOf('#') + 1));
}

function placeText({ place: { file, line, column } }: RulePlace, side: 'old' | 'new', { pathOf }: ReportStyle): string {
  return visible(`${pathOf(side, file)}:${line}:${column}`);
}

function oneLine(text: string): string {
  return visible(text.trim().replace(/\s*\n\s*/g, ' '));
}

function grantText({ change, scope, rolePrefix, role, resource, actions }: GrantChange, paint: Paint): string {
  const given = `${role}   ${actions.join(', ')} of ${resource}   by \`${rolePrefix}\` of ${scope}`;
  return `  ${paint.mark(change.toUpperCase())}   ${visible(given)}`;
}

function formatEnd(report: DiffResult, { paint, took, pathOf }: PrettyStyle): readonly string[] {
  const { alsoChanged, grants, reads, summary } = report;
  const narrowed = narrowedTo(report);
  const note = solverNote(report);
  const rows = `${summary.rows} ${summary.rows === 1 ? 'row' : 'rows'} of kind, version, scope and action`;
  const counts = countVerdicts(report)
    .map(([word, count]) => `${count} ${word}`)
    .join(', ');
  const result = summary.rows === 0 ? 'nothing to compare' : 'all unchanged';
  return [
    ...(grants.length === 0 ? [] : ['roles that tenants may give']),
    ...grants.map((grant) => grantText(grant, paint)),
    ...(grants.length === 0 ? [] : ['']),
    ...(reads.length === 0 ? [] : ['what decisions read']),
    ...reads.map((change) => `  ${changeText(change, (file) => pathOf('new', file))}`),
    ...(reads.length === 0 ? [] : ['']),
    ...(alsoChanged.length === 0 ? [] : ['also changed, and not compared']),
    ...alsoChanged.map(({ what, rule }) => `  ${what}  ${visible(rule)}`),
    ...(alsoChanged.length === 0 ? [] : ['']),
    ...(narrowed === undefined ? [] : [`only ${visible(narrowed)}`]),
    `${rows}: ${summary.unchanged === summary.rows ? result : counts}${took === undefined ? '' : `   (${(took / 1000).toFixed(1)} s)`}`,
    ...(note === undefined ? [] : [`${paint.strong('note:')} ${note}`]),
  ];
}
