import type { CelFunction } from './function.js';
import { coreFunctions } from './functions/core.js';
import { encoderFunctions } from './functions/encoders.js';
import { hierarchyFunctions } from './functions/hierarchy.js';
import { listFunctions } from './functions/lists.js';
import { mathFunctions } from './functions/math.js';
import { networkFunctions } from './functions/network.js';
import { optionalFunctions } from './functions/optional.js';
import { pathFunctions } from './functions/paths.js';
import { regexFunctions } from './functions/regex.js';
import { setFunctions } from './functions/sets.js';
import { spiffeFunctions } from './functions/spiffe.js';
import { stringFunctions } from './functions/strings.js';
import { timeFunctions } from './functions/time.js';

/**
 * Every function of the language (docs/spec/conditions.md#operators-macros-and-functions), one row each; operators and
 * macros are the checker's own. A name has one row, but for `ip`, whose two forms do different things.
 */
export const functions: readonly CelFunction[] = [
  ...coreFunctions,
  ...stringFunctions,
  ...encoderFunctions,
  ...mathFunctions,
  ...listFunctions,
  ...setFunctions,
  ...regexFunctions,
  ...optionalFunctions,
  ...networkFunctions,
  ...hierarchyFunctions,
  ...pathFunctions,
  ...spiffeFunctions,
  ...timeFunctions,
];
