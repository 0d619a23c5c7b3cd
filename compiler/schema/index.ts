import type { SchemaReference } from '../ast/policy.js';
import type { PolicySet } from '../ast/policy-set.js';
import type { Diagnostics, Note } from '../diagnostics/diagnostic.js';
import { invariant } from '../diagnostics/invariant.js';
import type { SchemaAddress, SchemaModule, SchemaSet } from '../ir/schema.js';
import { buildDefinition } from './build/index.js';
import type { Position } from './document.js';
import { Library } from './library.js';
import type { SchemaProblem } from './problem.js';
import { followReferences, type Links } from './reach.js';

/**
 * The JSON schemas of policies, from references to emitted code (docs/spec/policy-language.md#schema-validation). Every
 * reference of every resource policy is checked, including those of scoped policies, whose schemas are not used.
 *
 * @param texts the files in `_schemas` by path: nothing else is read.
 */
export function schema(policies: PolicySet, texts: ReadonlyMap<string, string>, report: Diagnostics): SchemaSet {
  const library = new Library(texts);
  const links: Links = { targets: new Map(), definitions: new Map() };
  const entries = new Map<string, SchemaAddress | SchemaFailure>();
  for (const { subject, reference } of listReferences(policies)) {
    const ref = reference.ref.value;
    const entry = entries.get(ref) ?? resolve(ref, library, links);
    entries.set(ref, entry);
    if ('reason' in entry)
      report.add('schema/invalid', reference.ref.place, { subject, ref, reason: entry.reason }, { notes: entry.notes });
  }
  return { modules: makeModules(links), entries };
}

/**
 * The definitions of one schema, for a schema that the compiler writes itself: it is at the root of its file.
 * @param text refers to no other file.
 */
export function compileSchema(file: string, text: string): readonly SchemaModule[] {
  const links: Links = { targets: new Map(), definitions: new Map() };
  const entry = resolve(`authz:///${file}`, new Library(new Map([[file, text]])), links);
  if ('reason' in entry) invariant(`a schema of the compiler is invalid: ${entry.reason}`);
  return makeModules(links);
}

interface SchemaFailure {
  readonly reason: string;
  readonly notes: readonly Note[];
}

interface Reference {
  readonly subject: 'principal' | 'resource';
  readonly reference: SchemaReference;
}

function listReferences({ policies }: PolicySet): readonly Reference[] {
  return policies.flatMap((linked) => {
    if (linked.kind !== 'resource' || linked.policy.schemas === undefined) return [];
    const { principal, resource } = linked.policy.schemas;
    return [
      ...(principal === undefined ? [] : [{ subject: 'principal' as const, reference: principal }]),
      ...(resource === undefined ? [] : [{ subject: 'resource' as const, reference: resource }]),
    ];
  });
}

/** Results reached through a schema with a problem are discarded. */
function resolve(ref: string, library: Library, links: Links): SchemaAddress | SchemaFailure {
  const position = library.entry(ref);
  if ('kind' in position) return failure(position, ref);
  const tried: Links = { targets: new Map(), definitions: new Map() };
  const problem = followReferences(position, ref, library, tried);
  if (problem !== undefined) return failure(problem, ref);
  for (const [node, target] of tried.targets) links.targets.set(node, target);
  for (const [node, target] of tried.definitions) links.definitions.set(node, target);
  return { file: position.document.file, pointer: position.pointer };
}

function makeModules(links: Links): readonly SchemaModule[] {
  const byFile = new Map<string, Position[]>();
  for (const position of links.definitions.values()) {
    const { file } = position.document;
    const positions = byFile.get(file) ?? [];
    byFile.set(file, positions);
    positions.push(position);
  }
  return [...byFile]
    .sort(([a], [b]) => compare(a, b))
    .map(([file, positions]) => ({
      file,
      definitions: positions
        .sort((a, b) => compare(a.pointer, b.pointer))
        .map((position) => ({ pointer: position.pointer, schema: buildDefinition(position, links) })),
    }));
}

function failure({ of, reason, advice, span }: SchemaProblem, ref: string): SchemaFailure {
  const notes = [
    ...(advice === undefined ? [] : [{ message: advice }]),
    ...(span === undefined ? [] : [{ message: 'here', span }]),
  ];
  return { reason: of === 'access' ? reason : `jsonschema ${ref} compilation failed: ${reason}`, notes };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
