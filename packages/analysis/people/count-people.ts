import type { Attributes } from '../../../runtime/policy/index.js';
import { pathText } from '../../../runtime/facts/paths.js';
import { PathReader } from '../facts/paths.js';
import { ReadSetBuilder } from '../facts/read-set.js';
import type { Formula, Holds } from '../formula/formula.js';
import type { FormulaKeys } from '../formula/keys.js';
import { type KnownFields, KnownSide } from '../matrix/known-fields.js';
import type { Cell, CellPeople, CountPeople, MatrixRow } from '../matrix/matrix.js';

/** A user to count. */
export interface MatrixUser {
  readonly id: string;
  readonly roles: readonly string[];
  readonly attr?: Attributes | undefined;
  /** Undefined: that of requests. */
  readonly scope?: string | undefined;
  readonly policyVersion?: string | undefined;
}

/** Users to count, and what is known of them. */
export interface MatrixUsers {
  readonly list: readonly MatrixUser[];
  /** The attributes of which it is known whether users have them; undefined: all. */
  readonly attributes?: readonly string[] | undefined;
}

/** Counts users in each row and in each cell. A user with a row of its own is in no row of the same role for everybody. */
export function countUsers(users: MatrixUsers): CountPeople {
  return (rows, findExample, keys) => countIn(rows, users, findExample, keys);
}

function countIn(
  rows: readonly MatrixRow[],
  { list, attributes }: MatrixUsers,
  findExample: (role: string) => string | undefined,
  keys: FormulaKeys,
): readonly MatrixRow[] {
  const examples = new Map<string, string | undefined>();
  const users = list.map((user): CountedUser => {
    const roles = user.roles.flatMap((role) => {
      if (!examples.has(role)) examples.set(role, findExample(role));
      return examples.get(role) ?? [];
    });
    return {
      id: user.id,
      roles: new Set(roles),
      known: new KnownSide('principal', knownFields(user)),
      found: new Map(),
    };
  });
  const conditions = new UserConditions(attributes && new Set(attributes), keys);
  const keyOf = (id: string, role: MatrixRow['role']): string => JSON.stringify([id, role?.example ?? null]);
  const own = new Set(rows.flatMap(({ principal, role }) => (principal === null ? [] : [keyOf(principal.id, role)])));
  return rows.map((row) => {
    const { principal, role } = row;
    const isIn = (user: CountedUser): boolean => {
      if (role !== null && !user.roles.has(role.example)) return false;
      if (principal !== null) return user.id === principal.id;
      return ![role, null].some((one) => own.has(keyOf(user.id, one)));
    };
    const inRow = users.filter(isIn);
    const people = listIds(inRow).size;
    return {
      ...row,
      people,
      cells: row.cells.map((cell) => ({ ...cell, people: countPeople(cell, inRow, conditions) })),
    };
  });
}

/** A user, and the conditions about which it was asked. */
interface CountedUser {
  readonly id: string;
  /** The names that stand for the classes of its roles. */
  readonly roles: ReadonlySet<string>;
  readonly known: KnownSide<'principal'>;
  /** Whether a condition holds, by its key. */
  readonly found: Map<number, boolean | undefined>;
}

/** The fields of a user that no request says otherwise. */
function knownFields({ id, roles, attr = {}, scope, policyVersion }: MatrixUser): KnownFields<'principal'> {
  return {
    id,
    roles,
    attr,
    ...(scope !== undefined && { scope }),
    ...(policyVersion !== undefined && { policyVersion }),
  };
}

function listIds(users: readonly CountedUser[]): ReadonlySet<string> {
  return new Set(users.map(({ id }) => id));
}

function countPeople(cell: Cell, users: readonly CountedUser[], conditions: UserConditions): CellPeople {
  const all = listIds(users).size;
  switch (cell.answer) {
    case 'allowed':
      return { least: all, most: all };
    case 'denied':
      return { least: 0, most: 0 };
    case 'undecided':
      return { least: 0, most: all, ...(all > 0 && { dependsOn: [SHARED] }) };
    case 'condition': {
      const dependsOn = new Set<string>();
      const results = users.map((user) => ({ user, result: conditions.evaluate(cell.formula, user, dependsOn) }));
      const least = listIds(results.flatMap(({ user, result }) => (result === true ? [user] : []))).size;
      const most = listIds(results.flatMap(({ user, result }) => (result === false ? [] : [user]))).size;
      return { least, most, ...(most > least && { dependsOn: [...dependsOn].sort() }) };
    }
  }
}

const SHARED = 'which rule of a name comes first';
const TIME = 'the time';
const PLACE = 'the kind, scope or version of the request';

/** Conditions of cells, for users of whom not all of a request is known. */
class UserConditions {
  private readonly reads = new Map<number, readonly string[]>();

  constructor(
    private readonly attributes: ReadonlySet<string> | undefined,
    private readonly keys: FormulaKeys,
  ) {}

  /**
   * Whether a formula is true for a user; undefined if that depends on more than the user.
   *
   * @param dependsOn gets what it depends on.
   */
  evaluate(formula: Formula, user: CountedUser, dependsOn: Set<string>): boolean | undefined {
    if (typeof formula === 'boolean') return formula;
    switch (formula.kind) {
      case 'not': {
        const result = this.evaluate(formula.operand, user, dependsOn);
        return result === undefined ? undefined : !result;
      }
      case 'and':
      case 'or': {
        const decisive = formula.kind === 'or';
        const left = new Set<string>();
        const results = formula.operands.map((operand) => this.evaluate(operand, user, left));
        if (results.includes(decisive)) return decisive;
        for (const one of left) dependsOn.add(one);
        return results.includes(undefined) ? undefined : !decisive;
      }
      case 'role':
        return user.roles.has(formula.role);
      case 'holds': {
        const result = this.holds(formula, user);
        if (result !== undefined) return result;
        const reads = this.listReads(formula);
        for (const read of reads.length === 0 ? [PLACE] : reads) dependsOn.add(read);
        return undefined;
      }
    }
  }

  private holds(condition: Holds, { known, found }: CountedUser): boolean | undefined {
    const key = this.keys.of(condition);
    if (!found.has(key)) {
      found.set(key, this.listReads(condition).length === 0 ? known.evaluateCondition(condition) : undefined);
    }
    return found.get(key);
  }

  /** What a condition reads besides what is known of users. */
  private listReads(condition: Holds): readonly string[] {
    const key = this.keys.of(condition);
    const known = this.reads.get(key) ?? this.findReads(condition);
    this.reads.set(key, known);
    return known;
  }

  private findReads({ condition, module, derivedRoles = [] }: Holds): readonly string[] {
    const builder = new ReadSetBuilder(false);
    new PathReader(module, builder).condition(condition);
    for (const { isActive } of derivedRoles) builder.addFormula(isActive);
    const { paths, now } = builder.build();
    const isOfUser = ([side, field, attribute]: readonly string[]): boolean =>
      side === 'principal' &&
      (field === 'id' || (field === 'attr' && (this.attributes === undefined || this.attributes.has(attribute ?? ''))));
    return [...paths.flatMap(({ path }) => (isOfUser(path) ? [] : [pathText(path)])), ...(now ? [TIME] : [])];
  }
}
