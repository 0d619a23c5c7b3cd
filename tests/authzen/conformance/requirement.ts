/** The certification plans of AuthZEN, and what holds for all of them. */
export type Plan =
  | 'all'
  | 'Basic Core'
  | 'Basic Properties'
  | 'Batch Core'
  | 'Batch Properties'
  | 'Search Core'
  | 'Search Properties'
  | 'Discovery';

/** One requirement of the certification scenario: a test, and a row of the table in docs/api.md. */
export interface Requirement {
  /** The section of the scenario. Several requirements of one section have a letter each. */
  readonly test: string;
  readonly plan: Plan;
  readonly requirement: string;
  /** Whether the server has rows of subjects and resources to search; absent: either way. */
  readonly hasRows?: boolean;
  /** Sent in this order. */
  readonly exchanges: readonly Exchange[];
}

/** A request, and the only response to it that passes. */
export interface Exchange {
  readonly path: string;
  /** A string is sent unchanged; without a body, the request is a GET. */
  readonly body?: object | string;
  /** Those of the request. Default: a content type of JSON. */
  readonly headers?: { readonly [name: string]: string };
  /** Whether the body asks for the page after that of the exchange before. */
  readonly isNextPage?: true;
  readonly expected: Expected;
}

/** A response. An error has a code and this message, besides details. */
export type Expected =
  | { readonly status: 200; readonly json: object; readonly headers?: { readonly [name: string]: string } }
  | { readonly status: 400; readonly message: string; readonly headers?: { readonly [name: string]: string } };
