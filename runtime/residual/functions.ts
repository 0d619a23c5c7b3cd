import * as cel from '../cel/index.js';

type Run = (...args: readonly cel.Result[]) => cel.Result;

/**
 * The function of runtime/cel that an operator of a filter stands for (docs/spec/plans.md#operator-names); undefined
 * for a name that is none.
 */
export function functionNamed(operator: string): Run | undefined {
  if (operator === 'ip') return addressOf;
  const name = NAMES.get(operator) ?? operator.replace(/[._]([a-zA-Z])/g, (_, letter: string) => letter.toUpperCase());
  const library = cel as unknown as { readonly [name: string]: unknown };
  const run = Object.hasOwn(library, name) ? library[name] : undefined;
  return typeof run === 'function' ? (run as Run) : undefined;
}

/** Of a text, or of a network: one name for both. */
function addressOf(value: cel.Result): cel.Result {
  return value instanceof cel.CidrValue ? cel.cidrIp(value) : cel.toIp(value);
}

/** Where the name is not the operator's in camel case. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['eq', 'equals'],
  ['ne', 'notEquals'],
  ['lt', 'lessThan'],
  ['le', 'atMost'],
  ['gt', 'greaterThan'],
  ['ge', 'atLeast'],
  ['in', 'inCollection'],
  ['sub', 'subtract'],
  ['mult', 'multiply'],
  ['div', 'divide'],
  ['mod', 'modulo'],
  ['-_', 'negate'],
  ['int', 'toInt'],
  ['uint', 'toUint'],
  ['double', 'toDouble'],
  ['string', 'toText'],
  ['bool', 'toBool'],
  ['bytes', 'toBytes'],
  ['timestamp', 'toTimestamp'],
  ['duration', 'toDuration'],
  ['type', 'typeOf'],
  ['id', 'identity'],
  ['dyn', 'dynOf'],
  ['cidr', 'toCidr'],
  ['path', 'spiffePath'],
  ['name', 'spiffeName'],
  ['math.@max', 'mathGreatest'],
  ['math.@min', 'mathLeast'],
]);
