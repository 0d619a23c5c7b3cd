/** What is read of a value: all of it, its length or keys, or whether it is there. */
export type Leaf = 'value' | 'shape' | 'has';

/** A path that a decision reads. */
export interface ReadPath {
  /** Names from the request on: `['resource', 'attr', 'address', 'city']`. `*` is every element or entry. */
  readonly path: readonly string[];
  readonly leaf: Leaf;
  /** Where it is read, sorted: `album.yaml:12`. */
  readonly lines: readonly string[];
}

/**
 * What a decision can read of a request besides its kind, version, scopes and roles (docs/facts.md). An upper bound: no
 * other value can change the decision.
 */
export interface ReadSet {
  /** Sorted. */
  readonly paths: readonly ReadPath[];
  /** The top-level attributes and claims among them: `resource.attr.owner`, `auxData.jwt.aud`, `resource.attr.*`. */
  readonly facts: ReadonlySet<string>;
  /** Whether the decision depends on the time. */
  readonly now: boolean;
  /** What is read as a whole, such as `resource.attr`. */
  readonly whole: readonly string[];
}

/** What the decision about a request depends on: its effect alone, or also outputs, derived roles and violations. */
export type ReadLevel = 'effect' | 'response';

/** Which decisions a read set is of. */
export interface ReadSetQuery {
  readonly kind: string;
  /** An action, or several that are asked together. */
  readonly action: string | readonly string[];
  /** Default: any roles. */
  readonly roles?: readonly string[] | undefined;
  /** The scope of the resource. */
  readonly scope?: string | undefined;
  /** The version of the resource. */
  readonly version?: string | undefined;
  /** Default: any principal, including those with policies of their own. */
  readonly principal?:
    | { readonly id: string; readonly scope?: string | undefined; readonly policyVersion?: string | undefined }
    | undefined;
  /** Default: `effect`. */
  readonly level?: ReadLevel | undefined;
}

/** The options of the engine on which read sets depend. Pass those of the engine that decides. */
export interface ReadSetOptions {
  readonly defaultPolicyVersion?: string | undefined;
  readonly defaultScope?: string | undefined;
  readonly lenientScopeSearch?: boolean | undefined;
  readonly strictEvaluation?: boolean | undefined;
  readonly schemaEnforcement?: 'none' | 'warn' | 'reject' | undefined;
}

/** What a bundle that was compiled with `--facts` knows about its decisions. */
export interface BundleFacts {
  readSets(options: ReadSetOptions): (query: ReadSetQuery) => ReadSet;
  /** The facts that decisions about each kind can read, whatever the action, the roles and the principal. */
  byKind(options: ReadSetOptions): ReadonlyMap<string, ReadonlySet<string>>;
  /** The facts that responses about each kind can read: outputs and derived roles as well. Absent in earlier bundles. */
  responsesByKind?(options: ReadSetOptions): ReadonlyMap<string, ReadonlySet<string>>;
}
