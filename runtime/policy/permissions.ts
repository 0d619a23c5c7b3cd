import type { Attributes } from './policy.js';

/**
 * The kinds, actions, roles and attributes of a set of policies, as types: `authzc compile` emits one that fits
 * (`Policies` in types.ts), and engines and clients take it as a parameter: `createEngine<Policies>(...)`,
 * `restClient<Policies>(...)`. It does not exist at run time.
 */
export interface Permissions {
  /** Permissions by resource kind. */
  readonly kinds: { readonly [kind: string]: KindPermissions };
  /** The roles that policies name. */
  readonly role: string;
}

/** The types of one kind. */
export interface KindPermissions {
  readonly action: string;
  /** The attributes of its resources. */
  readonly resource: Attributes;
  /** The attributes of principals in requests about it. */
  readonly principal: Attributes;
  /** The values of its outputs, by source: `resource.album.vdefault#locked`. */
  readonly output: { readonly [source: string]: unknown };
}

/** Allows everything: for programs without emitted types. */
export interface AnyPermissions extends Permissions {
  readonly kinds: {
    readonly [kind: string]: {
      readonly action: string;
      readonly resource: Attributes;
      readonly principal: Attributes;
      readonly output: { readonly [source: string]: unknown };
    };
  };
  readonly role: string;
}

/** A resource kind. */
export type KindOf<P extends Permissions> = keyof P['kinds'] & string;

/** An action that policies name for a kind. */
export type ActionOf<P extends Permissions, K extends KindOf<P> = KindOf<P>> = P['kinds'][K]['action'];

/**
 * A role. Principals also hold roles that no policy names: any string is a role, and editors suggest those of the
 * policies.
 */
export type RoleOf<P extends Permissions> = P['role'] | (string & {});

/** The principal of a request about a kind. */
export type PrincipalOf<P extends Permissions, K extends KindOf<P> = KindOf<P>> = ActorOf<P, K> & {
  /** Who acts for the principal, each for the one before (docs/spec/policy-language.md#actors). */
  readonly actors?: readonly ActorOf<P, K>[] | undefined;
};

/** Who acts for a principal. */
export type ActorOf<P extends Permissions, K extends KindOf<P> = KindOf<P>> = {
  readonly id: string;
  /** Unique; without any, everything is denied. */
  readonly roles: readonly RoleOf<P>[];
  readonly policyVersion?: string | undefined;
  readonly scope?: string | undefined;
} & WithAttributes<P['kinds'][K]['principal']>;

/** A resource of a kind. */
export type ResourceOf<P extends Permissions, K extends KindOf<P> = KindOf<P>> = {
  readonly kind: K;
  readonly id: string;
  readonly policyVersion?: string | undefined;
  readonly scope?: string | undefined;
} & WithAttributes<P['kinds'][K]['resource']>;

/** The resources of a kind, with the properties that all of them share. */
export type PlannedResourceOf<P extends Permissions, K extends KindOf<P> = KindOf<P>> = {
  readonly kind: K;
  readonly attr?: Partial<P['kinds'][K]['resource']> | undefined;
  readonly policyVersion?: string | undefined;
  readonly scope?: string | undefined;
};

/** A resource of any of the kinds, and actions of that kind. */
export type ResourceActionsOf<P extends Permissions> = {
  readonly [K in KindOf<P>]: {
    readonly resource: ResourceOf<P, K> /** Unique. */;
    readonly actions: readonly ActionOf<P, K>[];
  };
}[KindOf<P>];

/** The value of an output, or the reason why it has none, discriminated by its source. */
export type OutputOf<P extends Permissions, K extends KindOf<P> = KindOf<P>> = {
  [Source in SourceOf<P, K>]: OutputFrom<Source, P['kinds'][K]['output'][Source]>;
}[SourceOf<P, K>];

/** Policies that know more actions of a kind than they name: those that are only matched by an action `*`. */
export type WithActions<P extends Permissions, K extends KindOf<P>, Action extends string> = {
  readonly kinds: {
    readonly [Kind in KindOf<P>]: Kind extends K
      ? Omit<P['kinds'][Kind], 'action'> & { readonly action: P['kinds'][Kind]['action'] | Action }
      : P['kinds'][Kind];
  };
  readonly role: P['role'];
};

/** Any JSON. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json | undefined };

type WithAttributes<A> = object extends A ? { readonly attr?: A | undefined } : { readonly attr: A };

type SourceOf<P extends Permissions, K extends KindOf<P>> = keyof P['kinds'][K]['output'] & string;

type OutputFrom<Source extends string, Val> =
  | { readonly src: Source; readonly action: string; readonly val: Val; readonly error?: undefined }
  | { readonly src: Source; readonly action: string; readonly error: string; readonly val?: undefined };
