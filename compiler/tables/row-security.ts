import type { JsonValue } from '../ast/policy.js';
import type { Diagnostics } from '../diagnostics/diagnostic.js';
import type { Place } from '../diagnostics/span.js';
import { invariant } from '../diagnostics/invariant.js';
import { findField, nonEmptyText, readObject, readTexts, requiredText } from '../parse/build/fields.js';
import type { ObjectValue } from '../parse/schema/value.js';
import { COMMANDS } from './schema.js';

/** The statements that policies of a database allow. */
export type Command = (typeof COMMANDS)[number];

/** Actions of which one, or all, must be allowed. */
export interface AskedActions {
  readonly of: 'any' | 'all';
  /** The actions of the command, at least one. */
  readonly actions: readonly string[];
}

/** The scope of all rows, or the column with the scope of each. */
export type RowScope = string | { readonly column: string };

/** What a database enforces on a table. */
export interface RowSecurity {
  /** What must be allowed on a row for each statement: on the row as it is stored, and as it is written. */
  readonly commands: Partial<Record<Command, CommandRules & { readonly place: Place }>>;
  /** The roles of the database for which the policies are; at least one. */
  readonly to: readonly string[];
  readonly scope: RowScope;
  readonly version: string;
  /** Columns that no UPDATE changes. */
  readonly frozen: readonly string[];
}

/** The row security of a table; undefined if there is none. Reports what has a wrong form. */
export function readRowSecurity(table: ObjectValue, path: string, report: Diagnostics): RowSecurity | undefined {
  const object = readObject(table, 'rls');
  if (object === undefined) return undefined;
  const name = requiredText(table, 'name');
  if (!name.value.includes('.'))
    report.add('rls/action', name.place, {
      field: `${path}.name`,
      problem: `it needs its schema, as a policy is for one table: \`public.${name.value}\``,
    });
  const commands: { -readonly [command in Command]?: RowSecurity['commands'][command] } = {};
  for (const command of COMMANDS) {
    const field = findField(object, command);
    if (field === undefined) continue;
    const { value, place } = field;
    const rules = value.kind === 'json' ? readCommand(command, value.value) : invariant(`${command} is not JSON`);
    if (typeof rules === 'string') report.add('rls/action', place, { field: `${path}.rls.${command}`, problem: rules });
    else commands[command] = { ...rules, place };
  }
  return {
    commands,
    to: readTexts(object, 'to').map(({ value }) => value),
    scope: readScope(object, `${path}.rls.scope`, report),
    version: nonEmptyText(object, 'version')?.value ?? 'default',
    frozen: readTexts(object, 'frozen').map(({ value }) => value),
  };
}

/** The scope that a file declares. Reports one of another form. */
export function readScope(object: ObjectValue, field: string, report: Diagnostics): RowScope {
  const found = findField(object, 'scope');
  if (found === undefined) return '';
  const value = found.value.kind === 'json' ? found.value.value : invariant('scope is not JSON');
  if (typeof value === 'string') return value;
  if (isMapping(value)) {
    const [[key, column] = [], ...others] = Object.entries(value);
    if (key === 'column' && typeof column === 'string' && column !== '' && others.length === 0) return { column };
  }
  report.add('rls/action', found.place, {
    field,
    problem: 'it needs a scope, such as `acme`, or its column: `{column: scope}`',
  });
  return '';
}

/** The actions on the row that is stored, and on the row that is written. */
type CommandRules = { readonly using?: AskedActions; readonly check?: AskedActions };

/** A command of a table, or what is wrong with it. The rows of INSERT are new, those of SELECT and DELETE are stored. */
function readCommand(command: Command, value: JsonValue): CommandRules | string {
  if (command === 'update' && isMapping(value) && ('using' in value || 'check' in value)) {
    const { using, check, ...others } = value as Readonly<Record<string, JsonValue>>;
    if (using === undefined || check === undefined || Object.keys(others).length > 0)
      return 'it needs `using` and `check`, and nothing else';
    const [stored, written] = [readActions(using), readActions(check)];
    if (typeof stored === 'string') return stored;
    return typeof written === 'string' ? written : { using: stored, check: written };
  }
  const asked = readActions(value);
  if (typeof asked === 'string') return asked;
  switch (command) {
    case 'insert':
      return { check: asked };
    case 'update':
      return { using: asked, check: asked };
    default:
      return { using: asked };
  }
}

const FORM = 'it needs an action, `{any: [view, audit]}` or `{all: [view, edit]}`';

function readActions(value: JsonValue): AskedActions | string {
  if (typeof value === 'string' && value !== '') return { of: 'all', actions: [value] };
  if (!isMapping(value)) return FORM;
  const [entry, ...others] = Object.entries(value);
  if (entry === undefined || others.length > 0) return FORM;
  const [of, actions] = entry;
  if ((of !== 'any' && of !== 'all') || !Array.isArray(actions) || actions.length === 0) return FORM;
  return actions.every((action): action is string => typeof action === 'string' && action !== '')
    ? { of, actions }
    : FORM;
}

function isMapping(value: JsonValue): value is { readonly [name: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
