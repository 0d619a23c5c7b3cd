import type { FunctionSection, LibraryFunction } from './function.js';
import { conversions } from './conversions.js';
import { hierarchies } from './hierarchies.js';
import { lists } from './lists.js';
import { networks } from './networks.js';
import { numbers } from './numbers.js';
import { optionals } from './optionals.js';
import { paths } from './paths.js';
import { regularExpressions } from './regular-expressions.js';
import { sets } from './sets.js';
import { spiffe } from './spiffe.js';
import { strings } from './strings.js';
import { time } from './time.js';

/** The functions of the language by subject, in the order of docs/conditions.md. */
export const sections: readonly FunctionSection[] = [
  strings,
  conversions,
  time,
  lists,
  sets,
  numbers,
  optionals,
  regularExpressions,
  networks,
  hierarchies,
  paths,
  spiffe,
];

/**
 * Every function of the language (docs/spec/conditions.md#operators-macros-and-functions), one row each; operators and
 * macros are the checker's own. A name has one row, but for `ip`, whose two forms do different things.
 */
export const functions: readonly LibraryFunction[] = sections.flatMap(({ rows }) => rows);
