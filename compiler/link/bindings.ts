import { addTo } from '../append.js';
import { importKey } from '../ast/names.js';
import { printPlace } from '../ast/places.js';
import type { Bindings, LinkedVariable } from '../ast/policy-set.js';
import type { Expression, JsonValue, PolicyFile } from '../ast/policy.js';
import type { Details } from '../diagnostics/diagnostic.js';
import type { MessageParameters } from '../diagnostics/messages.js';
import { counted, type Problems } from '../diagnostics/problems.js';
import type { Located, Place } from '../diagnostics/span.js';
import type { Catalogue, FileOf } from './catalogue.js';
import { dependencyOrder } from './dependency-order.js';
import { linkExpression } from './expressions.js';
import { collectReferences } from './references.js';

/**
 * Links the variables and constants of a document (docs/spec/policy-language.md#compiling-variables-and-constants).
 * Reports invalid names, names with several definitions, undefined references and cycles; in that case the result
 * contains the first definition of each name.
 */
export function linkBindings(file: Importer, catalogue: Catalogue, problems: Problems): Bindings {
  const key = keyOfImports(file);
  const shared = known.get(catalogue) ?? new Map<string, Bindings>();
  known.set(catalogue, shared);
  const before = key === undefined ? undefined : shared.get(key);
  if (before !== undefined) return before;
  const own = counted(problems);
  const bindings = collectBindings(file, catalogue, own);
  if (key !== undefined && own.count() === 0) shared.set(key, bindings);
  return bindings;
}

// Thousands of policies may import the same sets: sets without problems are combined once.
const known = new WeakMap<Catalogue, Map<string, Bindings>>();

/**
 * A key that is equal for documents with the same variables and constants; undefined for one with local definitions.
 */
function keyOfImports({ policy: { variables, constants }, legacyVariables }: Importer): string | undefined {
  if (variables.local.length + constants.local.length + legacyVariables.length > 0) return undefined;
  return JSON.stringify([variables.imports, constants.imports].map((imports) => imports.map(({ value }) => value)));
}

function collectBindings(file: Importer, catalogue: Catalogue, problems: Problems): Bindings {
  const constants = unique(linkConstants(file, catalogue), { what: 'constant', file, problems });
  const variables = unique(linkVariables(file, catalogue), { what: 'variable', file, problems });
  for (const [name, { value }] of variables) linkExpression(value, { variables, constants, catalogue }, problems, name);
  return {
    variables: inDependencyOrder(variables, problems),
    constants: new Map(
      [...constants].map(([name, { value, place, file: from }]) => [name, { name, value, place, file: from }]),
    ),
  };
}

/** What kind of definition a problem concerns, in which document, and where it is reported. */
interface Owner {
  readonly what: 'variable' | 'constant';
  readonly file: PolicyFile;
  readonly problems: Problems;
}

/** The definitions by name, sorted; the first if there are several. */
function unique<T>(
  definitions: readonly Definition<T>[],
  { what, file, problems }: Owner,
): ReadonlyMap<string, Definition<T>> {
  const byName = new Map<string, Definition<T>[]>();
  for (const definition of definitions) {
    const name = definition.name.value;
    const reason = identifierProblem(name);
    if (reason === undefined) addTo(byName, name, definition);
    else problems.add(`${what}/invalid-name`, definition.name.place, { reason });
  }
  const sorted = [...byName].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [name, several] of sorted) {
    if (several.length > 1) problems.add(`${what}/redefined`, file.source, ...redefinition(name, several));
  }
  return new Map(sorted.map(([name, several]) => [name, several[0] as Definition<T>]));
}

function redefinition(
  name: string,
  several: readonly Definition<unknown>[],
): [MessageParameters<'variable/redefined'>, Details] {
  return [
    { name, definitions: several.map(({ origin, place }) => `${origin} (${printPlace(place)})`) },
    { notes: several.map(({ origin, place }) => ({ message: `defined in ${origin}`, span: place.span })) },
  ];
}

/** Later stages walk from a variable to those it uses: chains of this length fit on the call stack. */
const MAX_CHAIN = 200;

/** Reports each variable that makes a chain too long, but not the variables that use it. */
function reportDeepChains(
  order: readonly string[],
  variables: ReadonlyMap<string, Definition<Expression>>,
  problems: Problems,
): void {
  const depths = new Map<string, number>();
  for (const name of order) {
    const { value, place } = variables.get(name) as Definition<Expression>;
    const used = value.ast === undefined ? [] : collectReferences(value.ast).variables.keys();
    let depth = 1;
    for (const other of used) depth = Math.max(depth, 1 + (depths.get(other) ?? 0));
    depths.set(name, depth);
    if (depth === MAX_CHAIN + 1) problems.add('variable/too-deep', place, { name, limit: MAX_CHAIN });
  }
}

function inDependencyOrder(
  variables: ReadonlyMap<string, Definition<Expression>>,
  problems: Problems,
): ReadonlyMap<string, LinkedVariable> {
  const needs = new Map(
    [...variables].map(([name, { value }]) => [
      name,
      value.ast === undefined ? [] : collectReferences(value.ast).variables.keys(),
    ]),
  );
  const { order, selfReferences, cycles } = dependencyOrder(needs);
  if (selfReferences.length === 0 && cycles.length === 0) reportDeepChains(order, variables, problems);
  for (const names of [...selfReferences.map((name) => [name]), ...cycles]) {
    const members = names.map((name) => variables.get(name) as Definition<Expression>);
    const [first, ...others] = members as [Definition<Expression>, ...Definition<Expression>[]];
    problems.add(
      'variable/cyclic',
      first.place,
      { names, places: members.map(({ place }) => printPlace(place)) },
      { notes: others.map(({ name, place }) => ({ message: `\`${name.value}\` is defined here`, span: place.span })) },
    );
  }
  return new Map(
    order.map((name) => {
      const { value, file } = variables.get(name) as Definition<Expression>;
      return [name, { name, expression: value, file }];
    }),
  );
}

/** A document that can have variables and constants. */
export type Importer = FileOf<'resource' | 'principal' | 'role' | 'derived-roles' | 'invariants'>;

/** A definition of a variable or constant in one place. */
export interface Definition<T> {
  readonly name: Located<string>;
  readonly value: T;
  /** The place of the value. */
  readonly place: Place;
  readonly file: PolicyFile;
  /** The source of the definition, as messages print it: `import 'common'`. */
  readonly origin: string;
}

/**
 * The constants that a document can name: imported, then local ones
 * (docs/spec/policy-language.md#compiling-variables-and-constants). A missing import has none.
 */
export function linkConstants(file: Importer, catalogue: Catalogue): readonly Definition<JsonValue>[] {
  const { imports, local } = file.policy.constants;
  const imported = imports.flatMap(({ value: name }) => {
    const from = catalogue.find(importKey('export_constants', name));
    if (from?.policy.kind !== 'export-constants') return [];
    return from.policy.definitions.map((definition) => ({ ...definition, file: from, origin: `import '${name}'` }));
  });
  return [...imported, ...local.map((definition) => ({ ...definition, file, origin: 'policy local constants' }))].map(
    ({ name, value, file: from, origin }) => ({ name, value: value.value, place: value.place, file: from, origin }),
  );
}

/**
 * The variables that a document can name: imported, then local, then legacy ones
 * (docs/spec/policy-language.md#compiling-variables-and-constants). A missing import has none.
 */
export function linkVariables(file: Importer, catalogue: Catalogue): readonly Definition<Expression>[] {
  const { imports, local } = file.policy.variables;
  const imported = imports.flatMap(({ value: name }) => {
    const from = catalogue.find(importKey('export_variables', name));
    if (from?.policy.kind !== 'export-variables') return [];
    return from.policy.definitions.map((definition) => ({ ...definition, file: from, origin: `import '${name}'` }));
  });
  return [
    ...imported,
    ...local.map((definition) => ({ ...definition, file, origin: 'policy local variables' })),
    ...file.legacyVariables.map((definition) => ({
      ...definition,
      file,
      origin: 'deprecated top-level policy variables',
    })),
  ].map(({ name, expression, file: from, origin }) => ({
    name,
    value: expression,
    place: expression.place,
    file: from,
    origin,
  }));
}

/**
 * Why a string cannot be the name of a variable or a constant (docs/spec/policy-language.md#variables-and-constants);
 * undefined if it can. The messages are those of the machine-readable report
 * (docs/spec/policy-language.md#compile-errors).
 */
export function identifierProblem(name: string): string | undefined {
  if (RESERVED.has(name)) return `${JSON.stringify(name)} is a reserved keyword and can't be used as an identifier`;
  if (!IDENTIFIER.test(name)) return `${JSON.stringify(name)} is not a valid identifier`;
  return undefined;
}

const RESERVED: ReadonlySet<string> = new Set(['true', 'false', 'null', 'in']);
const IDENTIFIER = /^[_a-zA-Z][_a-zA-Z0-9]*$/;
