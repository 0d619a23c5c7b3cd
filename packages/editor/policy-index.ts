import { importKey, makePolicyKey } from '../../compiler/ast/names.js';
import type { PolicyFile } from '../../compiler/ast/policy.js';
import { Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import type { Source } from '../../compiler/diagnostics/source.js';
import { parse } from '../../compiler/parse/index.js';
import { chooseKind } from './file-kind.js';
import { isTooLarge } from './find-problems.js';

/** A file of a folder. */
export interface Indexed {
  readonly source: Source;
  /** The document; that of an earlier text while the current one does not parse. Undefined before one did. */
  readonly file: PolicyFile | undefined;
}

/** Policies that are being edited, as far as completion, hovers and navigation need them. */
export interface EditedPolicies {
  readonly get: (path: string) => Indexed | undefined;
  /** The text of a file that is a policy or open. */
  readonly findSource: (path: string) => Source | undefined;
  /** All policies, by path. */
  readonly files: ReadonlyMap<string, Indexed>;
  /** The documents with a key, such as `derived_roles.common`. */
  readonly withKey: (key: string) => readonly PolicyFile[];
  /** Texts of schemas, by their paths below `_schemas`. */
  readonly schemaTexts: ReadonlyMap<string, string>;
}

/** The documents of policies, by path and by name. Of many edits of a text, one is parsed. */
export class PolicyIndex {
  private readonly indexed = new Map<string, Indexed>();
  /** The paths of documents, by key. */
  private readonly byKey = new Map<string, Set<string>>();
  /** The paths of policies with the same kind, name and version, in any scope. */
  private readonly families = new Map<string, Set<string>>();
  /** The paths of the texts that changed since something was asked about them. */
  private readonly stale = new Set<string>();

  /** @param sourceAt the current text of a path, if there is one. */
  constructor(private readonly sourceAt: (path: string) => Source | undefined) {}

  /** Notes that the texts of these paths may have changed. */
  outdate(paths: Iterable<string>): void {
    for (const path of paths) this.stale.add(path);
  }

  /** Parses what changed. */
  refresh(): void {
    for (const path of this.stale) this.update(path);
    this.stale.clear();
  }

  get files(): ReadonlyMap<string, Indexed> {
    this.refresh();
    return this.indexed;
  }

  withKey(key: string): readonly PolicyFile[] {
    const { files } = this;
    return [...(this.byKey.get(key) ?? [])].flatMap((path) => files.get(path)?.file ?? []);
  }

  /** A file, with what it imports, directly or not, and the other scopes of its policy. */
  involvedIn(path: string): readonly string[] {
    const { files } = this;
    const involved = new Set([path]);
    const own = files.get(path)?.file;
    const family = own && isExecutable(own) ? findFamily(makePolicyKey(own.policy)) : undefined;
    const scopes = family === undefined ? [] : [...(this.families.get(family) ?? [])];
    const pending = [path, ...scopes];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      involved.add(next);
      for (const key of listImports(files.get(next)?.file))
        for (const imported of this.byKey.get(key) ?? []) if (!involved.has(imported)) pending.push(imported);
    }
    return [...involved].sort();
  }

  private update(path: string): void {
    if (chooseKind(path) !== 'policy') return;
    const source = this.sourceAt(path);
    const before = this.indexed.get(path);
    if (before?.source === source) return;
    if (before?.file !== undefined) this.unlist(path, before.file);
    if (source === undefined) {
      this.indexed.delete(path);
      return;
    }
    const file = isTooLarge(source) ? undefined : (parse(source, new Diagnostics()) ?? before?.file);
    this.indexed.set(path, { source, file });
    if (file !== undefined) this.list(path, file);
  }

  private list(path: string, file: PolicyFile): void {
    const key = makePolicyKey(file.policy);
    addTo(this.byKey, key, path);
    if (isExecutable(file)) addTo(this.families, findFamily(key), path);
  }

  private unlist(path: string, file: PolicyFile): void {
    const key = makePolicyKey(file.policy);
    this.byKey.get(key)?.delete(path);
    this.families.get(findFamily(key))?.delete(path);
  }
}

function isExecutable({ policy: { kind } }: PolicyFile): boolean {
  return kind === 'resource' || kind === 'principal' || kind === 'role';
}

function findFamily(key: string): string {
  return key.replace(/\/.*$/s, '');
}

function listImports(file: PolicyFile | undefined): readonly string[] {
  const { policy } = file ?? {};
  if (policy === undefined || !('variables' in policy)) return [];
  const sets = policy.kind === 'resource' ? policy.importDerivedRoles : [];
  return [
    ...sets.map(({ value }) => importKey('derived_roles', value)),
    ...policy.variables.imports.map(({ value }) => importKey('export_variables', value)),
    ...policy.constants.imports.map(({ value }) => importKey('export_constants', value)),
  ];
}

function addTo(sets: Map<string, Set<string>>, key: string, path: string): void {
  const set = sets.get(key) ?? new Set();
  sets.set(key, set.add(path));
}
