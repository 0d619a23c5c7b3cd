import type { Paint } from '../../../../compiler/diagnostics/paint.js';
import { visible, visibleJson } from '../../../../compiler/diagnostics/visible.js';
import type { FlipExample, FlipGroup, LeastDecision, LogPlace, NotReplayed, Outcome, ReplayReport } from '../report.js';
import type { DecidingFact } from '../least.js';

/** A report for people: the groups of flips with examples, and a summary. */
export function prettyReplay(report: ReplayReport, paint: Paint): string {
  const lines: string[] = [];
  let kind: string | undefined;
  for (const group of report.flips) {
    if (group.kind !== kind) lines.push(...(kind === undefined ? [] : ['']), paint.strong(visible(group.kind)));
    kind = group.kind;
    lines.push(...groupLines(group, report.logs, paint));
  }
  if (lines.length > 0) lines.push('');
  if (report.least !== undefined && report.least.length > 0)
    lines.push(...report.least.flatMap((decision) => leastLines(decision, report.logs, paint)), '');
  lines.push(...formatSummary(report));
  return lines.map((line) => `${line}\n`).join('');
}

function groupLines(
  { change, action, roles, count, examples, kind }: FlipGroup,
  logs: readonly string[],
  paint: Paint,
): readonly string[] {
  const who = roles.length === 0 ? 'no roles' : `roles: ${roles.map(visible).join(', ')}`;
  const label = paint.mark(change.toUpperCase());
  return [
    `  ${label}   ${visible(action)}   ${who}   ${counted(count, 'decision')}`,
    ...examples.flatMap((example) => exampleLines(example, { kind, action, logs }, paint)),
  ];
}

function exampleLines(
  { log, line, timestamp, principal, resource, auxData, before, after }: FlipExample,
  { kind, action, logs }: Pick<FlipGroup, 'kind' | 'action'> & Pick<ReplayReport, 'logs'>,
  paint: Paint,
): readonly string[] {
  const where = `${logs.length > 1 ? `${visible(log)} ` : ''}line ${line}, ${visible(timestamp)}`;
  return [
    `    ${visible(principal.id)}: ${visible(action)} ${visible(kind)} ${visible(resource.id)}   ${paint.faint(where)}`,
    `      principal  ${visibleJson(principal)}`,
    `      resource   ${visibleJson(resource)}`,
    ...(auxData === undefined ? [] : [`      auxData    ${visibleJson(auxData)}`]),
    `      recorded   ${outcomeText(before)}`,
    `      replayed   ${outcomeText(after)}`,
  ];
}

/** A decision as a sentence for an auditor: which facts decided. */
function leastLines(
  { log, line, timestamp, principal, kind, id, action, effect, facts }: LeastDecision,
  logs: readonly string[],
  paint: Paint,
): readonly string[] {
  const where = `${logs.length > 1 ? `${visible(log)} ` : ''}line ${line}, ${visible(timestamp)}`;
  const verdict = effect === 'EFFECT_ALLOW' ? 'allowed' : 'denied';
  const title = `${visible(principal)}: ${visible(action)} ${visible(kind)} ${visible(id)} is ${verdict}`;
  if (facts === undefined) return [`${title}; by which facts is not known   ${paint.faint(where)}`];
  if (facts.length === 0) return [`${title} by ids and roles alone   ${paint.faint(where)}`];
  return [`${title} by   ${paint.faint(where)}`, ...facts.map((fact) => `  ${factText(fact)}`)];
}

const MOST_CHARACTERS = 80;

function factText({ fact, value }: DecidingFact): string {
  if (value === undefined)
    return fact.endsWith('.*') ? `${fact.slice(0, -2)} has no other attributes` : `${visible(fact)} is absent`;
  const text = visibleJson(value);
  return `${visible(fact)} = ${text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text}`;
}

function outcomeText({ effect, policy }: Outcome): string {
  const word = effect === 'EFFECT_ALLOW' ? 'ALLOW' : 'DENY';
  return policy === '' ? word : `${word.padEnd(5)}  ${visible(policy)}`;
}

function formatSummary({
  logs,
  only,
  lines,
  decisions,
  notReplayed,
  needs,
  otherDocuments,
  ungrouped,
}: ReplayReport): readonly string[] {
  const { replayed, unchanged, widened, narrowed } = decisions;
  const limits = Object.entries(only).map(([name, value]) => `${name} ${visible(value)}`);
  const left = REASONS.flatMap(([name, one, reason]) =>
    notReplayed[name] === 0 ? [] : [`  ${counted(notReplayed[name], one)} ${reason}`],
  );
  if (needs.decisions > 0)
    left.push(
      `  ${counted(needs.decisions, 'decision')} that may depend on what the log does not keep:`,
      ...needs.facts.slice(0, SHOWN_FACTS).map(({ fact, decisions }) => `    needs ${visible(fact)} (${decisions})`),
      ...(needs.facts.length > SHOWN_FACTS ? ['    …'] : []),
    );
  const { damaged, firstDamaged } = lines;
  const rest = damaged > firstDamaged.length ? ', …' : '';
  const named = firstDamaged.map(({ log, line }: LogPlace) =>
    logs.length > 1 ? `${visible(log)} ${line}` : `${line}`,
  );
  if (damaged > 0) left.push(`  ${counted(damaged, 'damaged line')}: ${named.join(', ')}${rest}`);
  return [
    ...(limits.length === 0 ? [] : [`only ${limits.join(', ')}`]),
    `${counted(replayed, 'decision')}: ${unchanged} unchanged, ${widened} widened, ${narrowed} narrowed`,
    ...(otherDocuments === 0
      ? []
      : [`${counted(otherDocuments, 'resource')} decided with other documents of tenants than those of the log`]),
    ...(ungrouped === 0 ? [] : [`${counted(ungrouped, 'change')} not listed: there are too many groups`]),
    ...(left.length === 0 ? [] : ['not replayed', ...left]),
  ];
}

/** The most facts that are listed. */
const SHOWN_FACTS = 10;

const REASONS: readonly (readonly [name: keyof NotReplayed, one: string, reason: string])[] = [
  ['masked', 'resource', 'with masked values'],
  ['withoutFacts', 'resource', 'of which the log keeps no attributes'],
  ['withoutClaims', 'resource', 'without claims, which a condition reads'],
  ['withoutTenants', 'resource', 'decided with roles of tenants: name their documents with --tenants'],
  ['costly', 'resource', 'whose conditions exceed the limits'],
  ['exceeded', 'entry', 'of calls that exceeded a limit'],
  ['oversized', 'entry', 'without attributes, because they were too long'],
  ['plans', 'entry', 'of plans'],
];

function counted(count: number, one: string): string {
  const many = one.endsWith('y') ? `${one.slice(0, -1)}ies` : `${one}s`;
  return `${count} ${count === 1 ? one : many}`;
}
