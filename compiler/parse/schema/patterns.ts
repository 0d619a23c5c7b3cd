import type { Pattern } from './field.js';

/*
 * The patterns of docs/spec/policy-language.md#document-fields. `text` is what messages print; where it would make
 * JavaScript backtrack badly, `accepts` is an equivalent pattern.
 */

/** Names of rules. A repetition of a group that may itself repeat is written as one group. */
export const NAME: Pattern = { text: String.raw`^([a-zA-Z][\w\@\.\-]*)*$`, accepts: /^(?:[a-zA-Z][\w@.-]*)?$/ };
/** Names of derived roles and of sets. */
export const IDENT: Pattern = { text: String.raw`^[\w\-\.]+$`, accepts: /^[\w.-]+$/ };
export const SCOPE: Pattern = {
  text: String.raw`^(^$|\.|[0-9a-zA-Z][\w\-]*(\.\w[\w\-]*)*)$`,
  accepts: /^(?:|\.|[0-9a-zA-Z][\w-]*(?:\.\w[\w-]*)*)$/,
};
/** The scopes of tenants: the last segment is any. */
export const TENANT_SCOPE: Pattern = {
  text: String.raw`^([0-9a-zA-Z][\w\-]*\.(\w[\w\-]*\.)*)?\*$`,
  accepts: /^(?:[0-9a-zA-Z][\w-]*\.(?:\w[\w-]*\.)*)?\*$/,
};
export const ROLE_PREFIX: Pattern = { text: String.raw`^[a-zA-Z][\w\-]*:$`, accepts: /^[a-zA-Z][\w-]*:$/ };
/** Resources, principals and roles: no glob characters. */
export const PLAIN: Pattern = { text: String.raw`^[^!*?\[\]{}]+$`, accepts: /^[^!*?[\]{}]+$/ };
export const VERSION: Pattern = { text: String.raw`^[\w]+$`, accepts: /^\w+$/ };
export const OPTIONAL_VERSION: Pattern = { text: String.raw`^[\w]*$`, accepts: /^\w*$/ };
