import type { Program } from '../../../compiler/ir/program.js';
import type { SessionType } from '../../../compiler/tables/session.js';
import type { StoredRow } from './stored-rows.js';

/** A principal as a session describes it. */
export interface SessionPrincipal {
  readonly id: string;
  readonly roles: readonly string[];
  readonly attr: { readonly [name: string]: unknown };
}

/** More are not tried: each costs a query for each statement. */
const MOST_PRINCIPALS = 200;
/** More are not made, of which those that decide alike are left out. */
const MOST_MADE = 4000;

/**
 * Principals of each role that policies name, with an id and attributes that rows have: one of each form, and those about
 * which check decides otherwise. Equal input has equal results.
 *
 * @param decide what check decides about all rows, as a text.
 */
export function principalsFor(
  rows: readonly StoredRow[],
  types: Readonly<Record<string, SessionType>>,
  program: Program,
  decide: (principal: SessionPrincipal) => string,
): readonly SessionPrincipal[] {
  const seen = new Map<string, SessionPrincipal>();
  let made = 0;
  for (const { principal, form } of makePrincipals(rows, types, program)) {
    // Those that check denies everything differ for a database that shows too much.
    const key = `${form} ${decide(principal)}`;
    if (!seen.has(key)) seen.set(key, principal);
    made += 1;
    if (made >= MOST_MADE || seen.size >= MOST_PRINCIPALS) break;
  }
  return [...seen.values()];
}

/** A principal, and from which values of a row it is made. */
interface Made {
  readonly principal: SessionPrincipal;
  readonly form: string;
}

function* makePrincipals(
  rows: readonly StoredRow[],
  types: Readonly<Record<string, SessionType>>,
  program: Program,
): Generator<Made> {
  const roles = listRoles(program);
  const names = Object.keys(types).sort();
  const own = program.modules.flatMap((module) => (module.kind === 'principal' ? [module.principal] : []));
  for (const { id, attr } of rows) {
    const values = Object.values(attr);
    const texts = [...new Set(['nobody-else', id, ...own, ...values.filter((value) => typeof value === 'string')])];
    for (const holding of roles)
      for (const text of texts)
        for (let turn = 0; turn <= texts.length; turn += 1) {
          const attributes = names.flatMap((name, position) => {
            const value = makeAttribute(types[name] as SessionType, texts, values, turn + position);
            return value === undefined ? [] : [[name, value] as const];
          });
          yield {
            principal: { id: text, roles: holding, attr: Object.fromEntries(attributes) },
            form: `${holding.join()} ${texts.indexOf(text)} ${turn}`,
          };
        }
  }
}

/** A value of a type; undefined for an attribute that is missing. */
function makeAttribute(type: SessionType, texts: readonly string[], values: readonly unknown[], turn: number): unknown {
  const text = texts[(turn + texts.length) % (texts.length + 1)];
  const numbers = [0, 1, 10, 1e6, ...values.filter((value) => typeof value === 'number')];
  switch (type) {
    case 'text':
      return text;
    case 'number':
      return text === undefined ? undefined : numbers[turn % numbers.length];
    case 'boolean':
      return text === undefined ? undefined : turn % 2 === 0;
    case 'list':
      return text === undefined ? undefined : [text];
    default:
      return undefined;
  }
}

/** Each role that policies name alone, one that they do not name, and all together. */
function listRoles({ modules }: Program): readonly (readonly string[])[] {
  const named = modules.flatMap((module) => {
    switch (module.kind) {
      case 'resource':
        return module.rules.flatMap(({ roles }) => roles);
      case 'derived-roles':
        return module.definitions.flatMap(({ parentRoles }) => parentRoles);
      case 'role':
        return [module.role];
      default:
        return [];
    }
  });
  const all = [...new Set(named.map((role) => role.replaceAll('*', 'x')))].sort();
  return [...[...all, 'someone-else'].map((role) => [role]), ...(all.length > 1 ? [all] : [])];
}
