import type { AccessRequest } from '../engine/index.js';
import type { Attributes, Json } from '../policy/index.js';
import type { absent } from './source.js';

/** Attributes by their names. One that a request does not have is written as `undefined`, so that none is forgotten. */
export type ReadAttributes<Known, Names extends string> = {
  readonly [Name in Names]: (Name extends keyof Known ? Known[Name] : Json) | undefined;
};

/** What one action reads, as `authzc facts -o types` writes it. */
export interface ActionFacts {
  readonly resource: object;
  readonly principal: object;
  /** Claims of `auxData.jwt`. */
  readonly claims: object;
}

/** What the actions of kinds read: the type `Facts` of generated code. */
export type KindFacts<Facts> = {
  readonly [Kind in keyof Facts]: { readonly [Action in keyof Facts[Kind]]: ActionFacts };
};

/**
 * A request with all attributes and claims that its decision reads: one that leaves out any does not compile.
 *
 * With the names of the facts that sources provide, such as `FactsRequest<Facts, 'album', 'edit', 'resource.attr.owner'>`,
 * these may be left out, or be `absent`.
 *
 * @example
 * const request: FactsRequest<Facts, 'album', 'edit'> = {
 *   principal: { id: 'alice', roles: ['user'] },
 *   resource: { kind: 'album', id: '1', attr: { owner: 'alice', status: 'OPEN' } },
 *   action: 'edit',
 * };
 */
export type FactsRequest<
  Facts extends KindFacts<Facts>,
  Kind extends keyof Facts & string,
  Action extends keyof Facts[Kind] & string,
  Provided extends string = never,
> = AccessRequest & {
  readonly principal: With<'attr', Without<Facts[Kind][Action]['principal'], 'principal.attr', Provided>>;
  readonly resource: { readonly kind: Kind } & With<
    'attr',
    Without<Facts[Kind][Action]['resource'], 'resource.attr', Provided>
  >;
  readonly action: Named<Action>;
} & With<'auxData', With<'jwt', Facts[Kind][Action]['claims']>>;

/** A member that is required if it has required members itself. */
type With<Name extends string, Members extends object> =
  Record<never, never> extends Members
    ? { readonly [Own in Name]?: (Members & Attributes) | undefined }
    : { readonly [Own in Name]: Members & Attributes };

/** Attributes, of which those that sources provide may be left out. */
type Without<Members extends object, Root extends string, Provided extends string> = {
  readonly [Name in keyof Members as `${Root}.${Name & string}` extends Provided ? never : Name]: Members[Name];
} & {
  readonly [Name in keyof Members as `${Root}.${Name & string}` extends Provided ? Name : never]?:
    | Members[Name]
    | typeof absent;
};

/** The actions that a name or a glob stands for. */
type Named<Action extends string> = Action extends `${infer Before}*${infer After}`
  ? `${Before}${string}${After}`
  : Action;
