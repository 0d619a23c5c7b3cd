import { findFact, pathText } from '../../../runtime/facts/paths.js';
import type { Leaf, ReadPath, ReadSet } from '../../../runtime/policy/index.js';
import type { Formula } from '../formula/formula.js';
import { type PathCollector, PathReader } from './paths.js';

/** The fields that select policies: they are in every read set, and not listed. */
const SELECTORS: ReadonlySet<string> = new Set(['kind', 'roles', 'policyVersion', 'policy_version', 'scope']);

/** Collects a read set. */
export class ReadSetBuilder implements PathCollector {
  private readonly found = new Map<string, { path: readonly string[]; leaf: Leaf; lines: Set<string> }>();
  private readonly seen = new Set<Formula>();
  private readsNow = false;

  constructor(readonly listsLines = true) {}

  add(path: readonly string[], leaf: Leaf, line = ''): void {
    const [root, field] = path;
    if (root !== 'auxData' && field !== undefined && SELECTORS.has(field)) return;
    if (path.length === 1 && root === 'auxData' && leaf !== 'value') {
      // A message is set if it is not empty.
      for (const name of ['jwt', 'jwts']) this.add([root, name], 'shape', line);
      return;
    }
    const read = leafOf(path, leaf);
    const key = `${read} ${JSON.stringify(path)}`;
    const entry = this.found.get(key) ?? { path, leaf: read, lines: new Set() };
    if (line !== '') entry.lines.add(line);
    this.found.set(key, entry);
  }

  addNow(): void {
    this.readsNow = true;
  }

  /** What decides whether a formula is true. */
  addFormula(formula: Formula): void {
    if (typeof formula === 'boolean' || this.seen.has(formula)) return;
    this.seen.add(formula);
    switch (formula.kind) {
      case 'and':
      case 'or':
        for (const operand of formula.operands) this.addFormula(operand);
        return;
      case 'not':
        this.addFormula(formula.operand);
        return;
      case 'role':
        return;
      case 'holds':
        for (const { isActive } of formula.derivedRoles ?? []) this.addFormula(isActive);
        new PathReader(formula.module, this).condition(formula.condition);
    }
  }

  addSet({ paths, now }: ReadSet): void {
    for (const { path, leaf, lines } of paths) {
      this.add(path, leaf);
      for (const line of lines) this.add(path, leaf, line);
    }
    if (now) this.addNow();
  }

  build(): ReadSet {
    const all = [...this.found.values()];
    const wholes = new Set(all.filter(({ leaf }) => leaf === 'value').map(({ path }) => JSON.stringify(path)));
    /** What is in something that is read as a whole, and no more, is not listed. */
    const isInWhole = ({ path, leaf }: (typeof all)[number]): boolean =>
      path.some((_, length) => wholes.has(JSON.stringify(path.slice(0, length)))) ||
      (leaf !== 'value' && wholes.has(JSON.stringify(path)));
    const paths = all
      .filter((entry) => !isInWhole(entry))
      .map(({ path, leaf, lines }): ReadPath => ({ path, leaf, lines: [...lines].sort(compareLines) }))
      .sort((one, other) => compare(sortKey(one), sortKey(other)));
    return {
      paths,
      facts: new Set(paths.flatMap(({ path }) => findFact(path) ?? [])),
      now: this.readsNow,
      whole: [...new Set(paths.filter(isWholeSide).map(({ path }) => pathText(path)))],
    };
  }
}

/** The union of read sets. */
export function unite(sets: readonly ReadSet[]): ReadSet {
  const [only, ...others] = sets;
  if (only !== undefined && others.length === 0) return only;
  const builder = new ReadSetBuilder();
  for (const set of sets) builder.addSet(set);
  return builder.build();
}

/** Whether a path is read as a whole: all attributes of a side, or more. */
function isWholeSide({ path, leaf }: ReadPath): boolean {
  if (leaf !== 'value') return leaf === 'shape' && path.length === 2 && path[1] === 'attr';
  return path.length < 2 || (path.length === 2 && path[1] !== 'id');
}

/**
 * Sides are fields of messages, which are set if they are not empty, and so are claims of named tokens. A token without
 * its claims would be no token.
 */
function leafOf(path: readonly string[], leaf: Leaf): Leaf {
  const [, field] = path;
  if (leaf === 'value') return leaf;
  if (field === 'jwts' && path.length < 4) return 'value';
  if (leaf === 'has' && (path.length === 2 || (field === 'jwts' && path.length === 4)))
    return field === 'id' ? 'value' : 'shape';
  return leaf;
}

/** Attributes of the resource first, as most decisions are about these. */
function sortKey({ path: [root = '', ...names], leaf }: ReadPath): string {
  return [root === 'resource' ? '0' : root === 'principal' ? '1' : `2${root}`, ...names, leaf].join('\0');
}

function compareLines(one: string, other: string): number {
  const [file = '', line = ''] = one.split(/:(?=\d+$)/);
  const [otherFile = '', otherLine = ''] = other.split(/:(?=\d+$)/);
  return file === otherFile ? Number(line) - Number(otherLine) : compare(file, otherFile);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
