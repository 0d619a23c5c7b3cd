import type { Match, Module } from '../../../compiler/ir/program.js';
import type { Value } from '../../../compiler/ir/value.js';
import { parts } from '../../../compiler/ir/visit.js';
import { type Candidates, canBe, type Path, findPath } from '../candidates/candidates.js';
import type { Holds } from '../formula/formula.js';

/** Strings that functions accept which refuse most others, by the names of the functions. */
const ACCEPTED: { readonly [name: string]: readonly string[] } = {
  hierarchy: ['a', 'a.b', 'b'],
  spiffeID: ['spiffe://a.b/c', 'spiffe://a.b/d'],
  spiffeTrustDomain: ['a.b', 'spiffe://a.b/c', 'spiffe://a.b'],
  spiffeMatchExact: ['spiffe://a.b/c'],
  spiffeMatchTrustDomain: ['a.b'],
  matchesID: ['spiffe://a.b/c', 'spiffe://a.b/d'],
  timestamp: ['2025-01-01T00:00:00Z', '2025-01-01T01:00:00+01:00', '2024-12-31T00:00:00Z'],
  duration: ['1h', '60m', '2h'],
  ip: ['10.0.0.1', '::1'],
  isIP: ['10.0.0.1', '::1'],
  cidr: ['10.0.0.0/8', '10.0.0.0/9'],
  inIPAddrRange: ['10.0.0.1', '10.128.0.1', '192.168.0.1', '::1'],
  containsIP: ['10.0.0.1', '::1'],
  containsCIDR: ['10.0.0.0/8', '10.0.0.0/9'],
  int: ['1', '2'],
  uint: ['1', '2'],
  double: ['1', '2'],
};

/**
 * Strings for the parts of a request that expressions give to functions, or compare with their results: without them, a
 * random request evaluates `spiffeID(R.attr.x) == R.attr.y` never, and only finds failures.
 *
 * @param hasId whether the id of the principal is open.
 */
export function exampleTexts(conditions: readonly Holds[], hasId: boolean): readonly Candidates[] {
  const found = new Map<string, { readonly path: Path; readonly values: Set<string> }>();
  for (const { condition, module } of conditions)
    for (const clause of listClauses(condition)) {
      const { paths, texts } = listReads(clause, module);
      if (texts.size === 0) continue;
      for (const path of paths) {
        if (path[0] === 'principal' && path[1] === 'id' && !hasId) continue;
        if (!canBe(path, '')) continue;
        const key = path.join('\0');
        const entry = found.get(key) ?? { path, values: new Set() };
        for (const text of texts) entry.values.add(text);
        found.set(key, entry);
      }
    }
  return [...found.values()].map(({ path, values: texts }) => {
    const values = [...texts];
    return { path, values: path.at(-1) === 'id' && path.length === 2 ? values : [...values, values.slice(0, 2)] };
  });
}

/** The expressions below `all`, `any`, `none`, `&&`, `||` and `!`. */
function listClauses(match: Match): readonly Value[] {
  return match.kind === 'expr' ? listOperands(match.value) : match.of.flatMap(listClauses);
}

function listOperands(value: Value): readonly Value[] {
  const isLogic = value.kind === 'operator' && ['and', 'or', 'not'].includes(value.operator);
  return isLogic ? parts(value).flatMap(listOperands) : [value];
}

/** The parts of a request that an expression reads, and what its functions accept; variables are seen through. */
function listReads(
  clause: Value,
  { variables }: Module,
): { readonly paths: readonly Path[]; readonly texts: ReadonlySet<string> } {
  const paths: Path[] = [];
  const texts = new Set<string>();
  const seen = new Set<string>();
  const visit = (value: Value): void => {
    const path = findPath(value) ?? idPath(value);
    if (path !== undefined) {
      paths.push(path);
      return;
    }
    if (value.kind === 'call' && Object.hasOwn(ACCEPTED, value.name))
      for (const text of ACCEPTED[value.name] ?? []) texts.add(text);
    if (value.kind === 'variable' && !seen.has(value.name)) {
      seen.add(value.name);
      const definition = variables.find(({ name }) => name === value.name)?.value;
      if (definition !== undefined) visit(definition);
    }
    for (const part of parts(value)) visit(part);
  };
  visit(clause);
  return { paths, texts };
}

function idPath(value: Value): Path | undefined {
  const isId = value.kind === 'field' && value.name === 'id' && (value.of === 'principal' || value.of === 'resource');
  return isId ? [value.of, 'id'] : undefined;
}
