import { visible } from '../../../../compiler/diagnostics/visible.js';
import type { Cell, MatrixName, MatrixRow, MatrixTable, TableHeading } from '../matrix.js';

/** A longer condition is a note below its table. In UTF-16 units. */
const LONGEST_CONDITION = 26;

/** Conditions that are too long for a cell, by number from 1. Equal conditions are one note. */
export class Notes {
  readonly conditions: string[] = [];

  /** The number of a condition; undefined if it fits into a cell. */
  numberCondition(condition: string): number | undefined {
    if (condition.length <= LONGEST_CONDITION) return undefined;
    const index = this.conditions.indexOf(condition);
    return index < 0 ? this.conditions.push(condition) : index + 1;
  }
}

/** What a cell says, without its condition. */
export function wordAnswer({ answer }: Exclude<Cell, { readonly answer: 'condition' }>): string {
  switch (answer) {
    case 'allowed':
      return 'allowed';
    case 'denied':
      return '–';
    case 'undecided':
      return 'not decided';
  }
}

/** The text of a cell with the number of users who may perform the action, or its bounds. */
export function withPeople(text: string, { answer, people }: Cell): string {
  if (people === undefined || answer === 'denied') return text;
  const { least, most } = people;
  if (least === most) return `${text} (${most})`;
  return least === 0 ? `${text} (up to ${most})` : `${text} (${least} to ${most})`;
}

/** The lines below a table: what it does not say. */
export function listRemarks(table: MatrixTable): readonly string[] {
  return [gapText(table), boundsText(table)].flatMap((text) => text ?? []);
}

/** What decides about users of a table who are not counted exactly; undefined if all are. */
function boundsText({ rows }: MatrixTable): string | undefined {
  const causes = new Set(rows.flatMap(({ cells }) => cells.flatMap(({ people }) => people?.dependsOn ?? [])));
  if (causes.size === 0) return undefined;
  return `How many in a range may do it depends on ${[...causes].sort().map(visible).join(', ')}`;
}

/** `album`, and what else selects the policies: `leave_request   version v2   scope acme.hr`. */
export function titleParts(table: Omit<TableHeading, 'isComplete'>): readonly string[] {
  const { kind, isNamedKind, version, scope, isNamedScope } = table;
  return [
    isNamedKind ? visible(kind) : 'any other kind',
    ...(version === 'default' ? [] : [`version ${visible(version)}`]),
    ...(isNamedScope
      ? scope === ''
        ? []
        : [`scope ${visible(scope)}`]
      : [`any other scope, such as ${visible(scope)}`]),
  ];
}

/** What a table does not say; undefined if it says everything. */
export function gapText({ isComplete }: Pick<TableHeading, 'isComplete'>): string | undefined {
  return isComplete ? undefined : 'too many globs: some names that only globs match may have no row or column';
}

/** `user`, `any other role`, `principal alice`, `principal alice as user`. */
export function rowTitle({ principal, role }: MatrixRow): string {
  const name = role === null ? '' : nameText(role, 'role');
  if (principal === null) return name;
  const { id, scope, version } = principal;
  const where = [
    ...(scope === '' ? [] : [`scope ${visible(scope)}`]),
    ...(version === null || version === 'default' ? [] : [`version ${visible(version)}`]),
  ];
  return `principal ${visible(id)}${where.length === 0 ? '' : ` (${where.join(', ')})`}${name === '' ? '' : ` as ${name}`}`;
}

/** `view`, `any other action`. */
export function nameText({ label }: MatrixName, what: 'role' | 'action'): string {
  return label === 'any other' ? `any other ${what}` : visible(label);
}
