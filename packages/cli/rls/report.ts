import type { Paint } from '../../../compiler/diagnostics/paint.js';
import { visible } from '../../../compiler/diagnostics/visible.js';
import { type Finding, type FindingRule, visibleLines } from '../findings/finding.js';
import { type Certainty, FINDINGS, type RlsFinding, type Witness } from './finding.js';
import type { Verification } from './verify.js';

const LEVELS: Readonly<Record<Certainty, Finding['level']>> = { refuted: 'error', unknown: 'warning', proved: 'note' };

/** The rules of findings, for logs. */
export const RLS_RULES: readonly FindingRule[] = Object.entries(FINDINGS).map(([id, meaning]) => ({
  id: `rls-verify/${id}`,
  level: 'error',
  help: `${meaning} docs/row-level-security-verify.md#${id} explains it.`,
}));

/** The findings for a log. They are about a database, so they are shown at the beginning of the table file. */
export function toFindings({ findings }: Verification, table: string): readonly Finding[] {
  return findings.map((finding) => ({
    rule: `rls-verify/${finding.id}`,
    level: LEVELS[finding.certainty],
    message: [
      `${finding.object}: ${finding.message}`,
      ...witnessLines(finding.witness),
      ...(finding.fix === undefined ? [] : [`Fix: ${finding.fix}`]),
    ].join('\n'),
    location: { path: table },
  }));
}

/** The findings, the worst first, and what is fine. Ends with a line break. */
export function verificationText({ server, compared, objects, findings }: Verification, paint: Paint): string {
  const sorted = [...findings].sort((a, b) => ORDER.indexOf(a.certainty) - ORDER.indexOf(b.certainty));
  const fine = objects.filter(({ object }) => !findings.some((finding) => finding.object === object));
  const count = (certainty: Certainty): number => objects.filter((each) => each.certainty === certainty).length;
  return [
    ...groupAlike(sorted).flatMap((finding) => findingLines(finding, paint)),
    ...joinFunctions(fine.map(({ object }) => object)).map((object) => `ok: ${visible(object)}`),
    `PostgreSQL ${server}, by ${compared}: ${count('refuted')} refuted, ${count('unknown')} unknown, ${count('proved')} ok`,
    '',
  ].join('\n');
}

/** Joins findings that say the same about several objects, and have the same fix. */
function groupAlike(findings: readonly RlsFinding[]): readonly RlsFinding[] {
  const groups = new Map<string, RlsFinding[]>();
  for (const [index, finding] of findings.entries()) {
    const { id, certainty, message, fix, witness } = finding;
    const key =
      fix === undefined || witness !== undefined ? String(index) : JSON.stringify([id, certainty, message, fix]);
    groups.set(key, [...(groups.get(key) ?? []), finding]);
  }
  return [...groups.values()].map((alike) => ({
    ...(alike[0] as RlsFinding),
    object: listObjects([...new Set(alike.map(({ object }) => object))]),
  }));
}

/** The functions of a database on one line: there are many of them. */
function joinFunctions(objects: readonly string[]): readonly string[] {
  const functions = objects.filter((object) => object.startsWith('function '));
  const first = objects.indexOf(functions[0] ?? '');
  return objects.flatMap((object, index) =>
    index === first ? listObjects(functions) : functions.includes(object) ? [] : object,
  );
}

/** The maximum number of objects that are named. */
const MOST_OBJECTS = 4;

function listObjects(objects: readonly string[]): string {
  if (objects.length <= 1) return objects.join('');
  const named = objects.length > MOST_OBJECTS ? objects.slice(0, 2) : objects.slice(0, -1);
  const rest = objects.length > MOST_OBJECTS ? `${objects.length - 2} more` : objects.at(-1);
  return `${named.join(', ')} and ${rest}`;
}

const ORDER: readonly Certainty[] = ['refuted', 'unknown', 'proved'];

function findingLines({ id, certainty, object, message, fix, witness }: RlsFinding, paint: Paint): readonly string[] {
  const level = LEVELS[certainty];
  const severity = level === 'note' ? paint.strong('note') : paint.severity(level, level);
  return [
    `${severity}[${id}]: ${paint.strong(visible(object))}: ${visible(message)}`,
    ...witnessLines(witness).map((line) => `  ${line}`),
    ...(fix === undefined
      ? []
      : visibleLines(fix)
          .split('\n')
          .map((line, index) => `  ${index === 0 ? 'fix: ' : '     '}${line}`)),
  ];
}

function witnessLines(witness: Witness | undefined): readonly string[] {
  if (witness === undefined) return [];
  const { command, principal, row, check } = witness;
  return [
    `${command} is ${check} by check, and ${check === 'allowed' ? 'not possible' : 'possible'} in the database:`,
    `principal ${visible(JSON.stringify(principal))}`,
    `row ${visible(JSON.stringify(row))}`,
  ];
}
