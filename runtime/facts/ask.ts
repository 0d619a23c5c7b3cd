import { setOwn } from '../../packages/cel/runtime/own-property.js';
import type { AccessRequest, AuxDataInput, PrincipalInput, ResourceInput, TenantDocuments } from '../engine/index.js';
import { withoutDot } from '../engine/parts.js';
import type { FailureReason, LoadedRow } from './accept.js';
import { readAttribute, factName, type FactRoot } from './fact-names.js';
import type { Loader } from './loader.js';
import { absent } from './source.js';

/** A row that has to be asked for. */
export interface Need {
  readonly loader: Loader;
  readonly key: string;
  /** Whether a row that is kept is not good enough. */
  readonly isFresh: boolean;
}

/** A fact that a decision used. */
export interface UsedFact {
  readonly fact: string;
  /** `sent` by the caller, or the name of the source. */
  readonly from: string;
  /** When the source was asked, in milliseconds since 1970. */
  readonly at?: number;
  /** How long before the decision, in milliseconds. */
  readonly age?: number;
  /** Whether the source failed, and this is what it returned before. */
  readonly stale?: true;
  /** Whether it is of the transaction of the caller. */
  readonly snapshot?: true;
}

/** A fact that a decision lacks. */
export interface UnknownFact {
  readonly fact: string;
  readonly source: string;
  readonly reason: FailureReason | 'disagree';
}

/** The rows of one decision, or of one session: each is loaded once. */
export class Rows {
  private readonly rows = new Map<Loader, Map<string, LoadedRow>>();

  get(loader: Loader, key: string): LoadedRow | undefined {
    return this.rows.get(loader)?.get(key);
  }

  add(loader: Loader, key: string, row: LoadedRow): void {
    const own = this.rows.get(loader);
    if (own === undefined) this.rows.set(loader, new Map([[key, row]]));
    else own.set(key, row);
  }
}

/** A principal, an actor, or the resource of a request: what facts are of. */
export class Subject {
  /** The attributes that are known: those that were sent, then those of each source in its order. */
  attr: { [name: string]: unknown } = {};
  /** The loader of each fact that is not known, by attribute. */
  readonly unknown = new Map<string, Loader>();
  /** Why a fact will not be known. */
  readonly failed = new Map<string, FailureReason>();
  private readonly used = new Map<string, UsedFact>();
  /** Where each fact that was fetched is from. */
  private readonly origins = new Map<string, { readonly loader: Loader; readonly key: string }>();
  /** The facts that are absent because there is no key of their source. */
  private readonly keyless = new Map<string, Loader>();
  /** The sources that are asked once more, with their rows, which were too old beside others. */
  private readonly renewed = new Map<Loader, LoadedRow | undefined>();
  /** The names of attributes, in their order. */
  private readonly names: readonly string[];

  /**
   * @param loaders those that provide facts of it.
   * @param others those that provide facts of the same side for other requests. What they provide is not known here,
   *   unless it is sent and they take that: a request must not make a fact missing, or another one, by naming another scope.
   * @param label what the facts are called, if not as the root: `principal.actors[0].attr`.
   */
  constructor(
    readonly root: FactRoot,
    private readonly id: string,
    private readonly sent: { readonly [name: string]: unknown },
    private readonly loaders: readonly Loader[],
    private readonly others: readonly Loader[],
    private readonly label: string = root,
  ) {
    for (const name of Object.keys(sent)) {
      const value = sent[name];
      if (value !== absent && value !== undefined) setOwn(this.attr, name, value);
    }
    for (const loader of loaders)
      for (const attribute of loader.source.facts.keys()) this.choose(loader, attribute, sent);
    const own = new Set(loaders.flatMap(({ source: { facts } }) => [...facts.keys()]));
    for (const loader of others)
      for (const attribute of loader.source.facts.keys()) {
        if (own.has(attribute) || this.unknown.has(attribute)) continue;
        this.choose(loader, attribute, sent);
        if (this.unknown.has(attribute)) this.failed.set(attribute, 'not found');
      }
    this.names = [...new Set([...Object.keys(this.attr), ...own])];
    for (const name of Object.keys(this.attr)) this.used.set(name, { fact: this.nameOf(name), from: 'sent' });
  }

  /** The same subject with nothing fetched. */
  asSent(): Subject {
    return new Subject(this.root, this.id, this.sent, this.loaders, this.others, this.label);
  }

  private choose(loader: Loader, attribute: string, sent: { readonly [name: string]: unknown }): void {
    const isSent = isGiven(sent, attribute);
    if (isSent && loader.source.caller === 'use') return;
    if (isSent && loader.source.caller === 'refuse')
      throw new TypeError(`\`${this.nameOf(attribute)}\` was sent, and source \`${loader.source.name}\` provides it`);
    delete this.attr[attribute];
    if (loader.isRead(attribute)) this.unknown.set(attribute, loader);
  }

  nameOf(attribute: string): string {
    return `${this.label}${factName(this.root, attribute).slice(this.root.length)}`;
  }

  /** The facts that are not known, as the partial decider names them. */
  unknownFacts(): readonly string[] {
    return [...this.unknown.keys()].map((attribute) => factName(this.root, attribute));
  }

  /** Takes the facts from rows that are loaded. */
  take(rows: Rows, now: number, tx: unknown): void {
    if (this.unknown.size === 0) return;
    const known = Object.keys(this.attr).length;
    this.takeLoaded(rows, now, tx);
    if (Object.keys(this.attr).length !== known) this.sort();
  }

  /** Conditions over all attributes see their order, which must not depend on what was known first. */
  private sort(): void {
    const sorted: { [name: string]: unknown } = {};
    for (const name of this.names) if (Object.hasOwn(this.attr, name)) setOwn(sorted, name, this.attr[name]);
    this.attr = sorted;
  }

  private takeLoaded(rows: Rows, now: number, tx: unknown): void {
    let isDone = false;
    // A fact may be the key of others.
    while (!isDone) {
      isDone = true;
      for (const loader of this.loaders) {
        const key = this.keyOf(loader);
        if (typeof key !== 'object') continue;
        const row = rows.get(loader, key.key);
        if (
          row !== undefined &&
          row !== this.renewed.get(loader) &&
          this.takeRow({ loader, key: key.key }, row, now, tx)
        )
          isDone = false;
      }
    }
  }

  /** Takes what a row says; returns whether that is anything new. */
  private takeRow(
    origin: { readonly loader: Loader; readonly key: string },
    { row, at, stale }: LoadedRow,
    now: number,
    tx: unknown,
  ): boolean {
    const { loader } = origin;
    const { name: from, facts, notFound } = loader.source;
    let isNew = false;
    for (const attribute of facts.keys()) {
      if (this.unknown.get(attribute) !== loader || this.failed.has(attribute)) continue;
      isNew = true;
      // A row that was loaded before an attribute was read says nothing about it.
      const found = typeof row === 'string' ? row : (row.get(attribute) ?? 'stale');
      if (found === 'no row' && notFound === 'unknown') this.failed.set(attribute, 'not found');
      else if (typeof found === 'string' && found !== 'no row') this.failed.set(attribute, found);
      else {
        this.unknown.delete(attribute);
        if (typeof found === 'object') setOwn(this.attr, attribute, found.value);
        this.origins.set(attribute, origin);
        this.used.set(attribute, {
          fact: this.nameOf(attribute),
          from,
          at,
          age: Math.max(0, now - at),
          ...(stale === true && { stale }),
          ...(tx !== undefined && { snapshot: true }),
        });
      }
    }
    return isNew;
  }

  /** When the newest fact was fetched; 0 if none was. */
  get newest(): number {
    return Math.max(0, ...[...this.used.values()].map(({ at = 0 }) => at));
  }

  /**
   * Forgets facts that were fetched before a time, so that they are asked for once more; the second time they fail, and at once
   * if `rows` are not given.
   */
  renew(before: number, rows: Rows | undefined): void {
    const old = new Map<Loader, LoadedRow | undefined>();
    for (const [attribute, { at = before }] of this.used) {
      const origin = this.origins.get(attribute);
      if (at >= before || origin === undefined) continue;
      const { loader, key } = origin;
      old.set(loader, rows?.get(loader, key));
      this.forget(attribute, loader);
      if (rows === undefined || this.renewed.has(loader)) this.failed.set(attribute, 'skew');
    }
    for (const [loader, row] of old) this.renewed.set(loader, row);
    if (old.size > 0) this.forgetWithoutKey();
  }

  /** Forgets facts that were found by a key that is not known any more. */
  private forgetWithoutKey(): void {
    let before: number;
    do {
      before = this.unknown.size;
      const found = [
        ...[...this.origins].map(([attribute, { loader }]) => [attribute, loader] as const),
        ...this.keyless,
      ];
      for (const [attribute, loader] of found) {
        const { keyFact } = loader.source;
        if (keyFact !== undefined && this.unknown.has(readAttribute(keyFact, this.root) ?? ''))
          this.forget(attribute, loader);
      }
    } while (this.unknown.size > before);
  }

  private forget(attribute: string, loader: Loader): void {
    delete this.attr[attribute];
    this.used.delete(attribute);
    this.origins.delete(attribute);
    this.keyless.delete(attribute);
    this.unknown.set(attribute, loader);
  }

  /** The key of a source; `undefined` if the fact that is the key is not known yet, or why there is none. */
  keyOf({ source }: Loader): { readonly key: string } | FailureReason | undefined {
    if (source.keyFact === undefined) return { key: this.id };
    const attribute = readAttribute(source.keyFact, this.root) ?? '';
    if (this.unknown.has(attribute)) return this.failed.get(attribute);
    const value = Object.hasOwn(this.attr, attribute) ? this.attr[attribute] : undefined;
    if (typeof value === 'string') return { key: value };
    if (Number.isSafeInteger(value)) return { key: String(value) };
    // Of a key of another type it is not known whether there is a row.
    return value === undefined || value === null ? 'not found' : 'type';
  }

  /**
   * What has to be asked to know a fact: a source and a key, or why it will not be known.
   */
  next(attribute: string): Need | FailureReason {
    const loader = this.unknown.get(attribute) as Loader;
    const failed = this.failed.get(attribute);
    if (failed !== undefined) return failed;
    const key = this.keyOf(loader);
    if (typeof key === 'object') return { loader, key: key.key, isFresh: this.renewed.has(loader) };
    if (key !== undefined) return key;
    return this.next(readAttribute(loader.source.keyFact as string, this.root) ?? '');
  }

  /** Says that facts whose key there is not are absent, where the source says so. */
  settleKeys(): void {
    let before: number;
    // A fact that is absent may be the key of others.
    do {
      before = this.unknown.size;
      for (const [attribute, loader] of this.unknown)
        if (this.loaders.includes(loader) && loader.source.notFound === 'absent' && this.hasNoKey(loader)) {
          this.unknown.delete(attribute);
          this.keyless.set(attribute, loader);
        }
    } while (this.unknown.size < before);
  }

  /** Whether the key of a source is known, and there is none. A key that was not found is not known. */
  private hasNoKey({ source: { keyFact } }: Loader): boolean {
    const attribute = keyFact === undefined ? undefined : readAttribute(keyFact, this.root);
    if (attribute === undefined || this.unknown.has(attribute)) return false;
    return !Object.hasOwn(this.attr, attribute) || this.attr[attribute] === null;
  }

  sourceOf(attribute: string): string {
    return this.unknown.get(attribute)?.source.name ?? '';
  }

  /** The facts that are known. */
  usedFacts(): readonly UsedFact[] {
    return [...this.used.values()];
  }
}

/** Whether an attribute was sent, or said to be absent. */
function isGiven(sent: { readonly [name: string]: unknown }, attribute: string): boolean {
  return Object.hasOwn(sent, attribute) && sent[attribute] !== undefined;
}

/** One action of one resource that is to be decided. */
export interface Ask {
  /** The principal, then its actors. */
  readonly principals: readonly { readonly input: PrincipalInput; readonly subject: Subject }[];
  readonly resource: {
    readonly input: ResourceInput;
    readonly subject: Subject;
    /** The sources that lock its row. */
    readonly locks?: readonly Loader[] | undefined;
  };
  readonly action: string;
  /** All actions that are asked about the resource in one: its schemas are skipped if all of them are exempt. Absent: this one. */
  readonly actions?: readonly string[] | undefined;
  readonly auxData: AuxDataInput | undefined;
  readonly tenants: TenantDocuments | undefined;
  /** Whether outputs and derived roles are wanted, too. */
  readonly wantsOutputs?: boolean;
  /** What sources said of the roles, the scopes and the versions. */
  readonly selected?: readonly UsedFact[] | undefined;
}

/** The request of an ask with what is known, of one of its principals alone. */
export function makeRequest({ principals, resource, action, auxData }: Ask, index: number): AccessRequest {
  const { input, subject } = principals[index] as Ask['principals'][number];
  const { id, roles, policyVersion, scope } = input;
  return {
    principal: { id, roles, attr: subject.attr, policyVersion, scope },
    resource: { ...resource.input, attr: resource.subject.attr },
    action,
    auxData,
  };
}

/** The request of an ask with what is known. */
export function wholeRequest(ask: Ask): AccessRequest {
  const { principals, tenants } = ask;
  const request = makeRequest(ask, 0);
  const actors = principals.slice(1).map((_, index) => makeRequest(ask, index + 1).principal);
  return {
    ...request,
    principal: actors.length === 0 ? request.principal : { ...request.principal, actors },
    ...(tenants && { tenants }),
  };
}

/** Where a request is decided: its scope and version as the engine takes them, with the defaults. */
export interface Place {
  readonly scope: string;
  readonly version: string;
}

/** The sources of principals, or of resources of a kind: those for requests at a place, and those for others. */
export function loadersAt(
  loaders: readonly Loader[],
  kind: string | undefined,
  { scope, version }: Place,
): { readonly own: readonly Loader[]; readonly others: readonly Loader[] } {
  const ofKind = loaders.filter(({ source }) => source.kind === kind);
  const isOwn = ({ source: { when } }: Loader): boolean =>
    (when.scope === undefined || withoutDot(when.scope) === scope) &&
    (when.version === undefined || when.version === version);
  return { own: ofKind.filter(isOwn), others: ofKind.filter((loader) => !isOwn(loader)) };
}
