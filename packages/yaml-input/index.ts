/**
 * The YAML package, without its functions that recurse as deeply as a text is nested. No other folder imports the
 * package, so that no reader of texts from elsewhere can forget the limit.
 */
export {
  Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  Scalar,
  stringify,
  visit,
} from 'yaml';
export type { Alias, CST, Node, Pair, YAMLError, YAMLMap, YAMLSeq } from 'yaml';
export { composeYaml, readYaml, valueOfYaml, YamlDepthError } from './document.js';
export { commentsIn, tokenise, type Tokens } from './tokens.js';
