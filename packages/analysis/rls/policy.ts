import { filterOf } from '../../../runtime/residual/index.js';
import * as residual from '../../../runtime/residual/index.js';
import type { Operand } from '../../../runtime/residual/operand.js';
import { columnText, policyCondition } from '../../../runtime/residual/sql/policy-condition.js';
import { Refusal } from '../../../runtime/residual/sql/refusal.js';
import type { SqlTable } from '../../../runtime/residual/sql/table.js';
import type { AskedActions } from '../../../compiler/tables/row-security.js';
import type { Session } from '../../../compiler/tables/session.js';
import type { Decisions } from '../decision/decisions.js';
import { isWithoutIndex, listParts } from './advice.js';
import { ComputedValues, hasComputed } from './computed-values.js';
import { NotInDatabase } from './decision.js';
import { KeyFunctions, plainTables } from './key-functions.js';
import { RoleGates, UnknownGlob } from './roles.js';
import { SCOPE, sessionCondition, type TablePlace } from './scopes.js';
import { sessionValues } from './session.js';

/** What the policies of a database share: the session that they read, and what they need beside their own text. */
export class SharedParts {
  readonly keys = new KeyFunctions();
  readonly computed = new ComputedValues();

  constructor(readonly session: Session) {}
}

/** A condition of a policy. */
export interface RowCondition {
  /** Its conjuncts. */
  readonly conjuncts: readonly string[];
  /** Whether no index finds the rows of any principal, as some principals see all rows (`rls/no-index`). */
  readonly isWithoutIndex: boolean;
  /** What it asks a function for each row, as authors read it; empty if it asks none. */
  readonly perRow: readonly string[];
  /** The related tables that it reads itself, as everyone sees their rows. */
  readonly plain: readonly string[];
}

/**
 * The condition of a policy of PostgreSQL: TRUE for the rows with which the principal of a session may do what is asked.
 *
 * @throws {NotInDatabase} if it cannot be said exactly.
 */
export function rowCondition(
  decisions: Decisions,
  place: TablePlace,
  asked: AskedActions,
  table: SqlTable,
  { session, keys, computed }: SharedParts,
): RowCondition {
  const gates = new RoleGates();
  const sessionValue = sessionValues(session.attributes, gates);
  const scope = typeof place.scope === 'string' ? undefined : columnText(table, place.scope.column);
  const values = (variable: string): ReturnType<typeof sessionValue> =>
    variable === SCOPE ? scope : sessionValue(variable);
  const isSql = (condition: residual.Condition): boolean =>
    residual.unplannableReason(condition) === undefined &&
    [condition, residual.not(condition)].every((each) => {
      const filter = filterOf(each);
      if (filter.kind !== 'KIND_CONDITIONAL') return true;
      return !(writeCondition(filter.condition, table, values, new KeyFunctions()) instanceof Refusal);
    });
  const { enforcesSchemas } = session;
  const join = asked.of === 'any' ? residual.anyOf : residual.allOf;
  try {
    const condition = join(
      ...asked.actions.map((action) =>
        sessionCondition(decisions, place, action, { gates, computed, isSql, enforcesSchemas }),
      ),
    );
    const filter = filterOf(condition);
    // Whoever is nobody sees nothing, whatever the rest says: a DENY that fails denies nothing.
    const guard = '(SELECT authz.is_set())';
    if (filter.kind !== 'KIND_CONDITIONAL')
      return {
        conjuncts: [filter.kind === 'KIND_ALWAYS_ALLOWED' ? guard : 'false'],
        isWithoutIndex: false,
        perRow: [],
        plain: [],
      };
    const ids = computed.use(filter.condition);
    if (ids.length > 0 && OF_TOKENS.includes(session.source))
      throw new NotInDatabase(
        `an expression that SQL cannot compute: the application computes it only for \`principal: settings\` and \`principal: signed\`, and a token of ${String(session.source)} does not have it`,
      );
    const perRow: string[] = [];
    return {
      conjuncts: [
        guard,
        ...(ids.length > 0 ? [hasComputed(ids)] : []),
        ...listParts('and', filter.condition).map((part) => textOf(part, table, values, keys, perRow)),
      ],
      isWithoutIndex: isWithoutIndex(filter.condition),
      perRow,
      plain: plainTables(filter.condition, table),
    };
  } catch (error) {
    if (error instanceof UnknownGlob)
      throw new NotInDatabase(`the role glob \`${error.message}\` has no equivalent regular expression in PostgreSQL`);
    throw error;
  }
}

/** Where sessions are claims of a token, to which an application adds nothing. */
const OF_TOKENS: readonly Session['source'][] = ['supabase', 'clerk'];

function textOf(
  part: Operand,
  table: SqlTable,
  session: ReturnType<typeof sessionValues>,
  keys: KeyFunctions,
  perRow: string[],
): string {
  const text = writeCondition(part, table, session, keys, perRow);
  if (text instanceof Refusal)
    throw new NotInDatabase(
      text.operator === 'variable' || text.operator === 'relation'
        ? text.reason
        : `\`${text.operator}\`: ${text.reason}: \`${residual.operandText(part)}\``,
    );
  return text;
}

/**
 * A condition of a policy. What keys of related rows do not say, such as a comparison of a related row with the row of the
 * policy or a count, a function decides for each row.
 */
function writeCondition(
  operand: Operand,
  table: SqlTable,
  session: ReturnType<typeof sessionValues>,
  keys: KeyFunctions,
  perRow: string[] = [],
): string | Refusal {
  const byKeys = policyCondition(operand, table, session, new KeyFunctions().read);
  // What is read may be needed, so the functions are made once it is known that there are no others.
  if (!(byKeys instanceof Refusal)) return policyCondition(operand, table, session, keys.read);
  const operator = 'expression' in operand ? operand.expression.operator : undefined;
  if ('expression' in operand && (operator === 'and' || operator === 'or')) {
    const parts = operand.expression.operands.map((part) => writeCondition(part, table, session, keys, perRow));
    const refused = parts.find((part) => part instanceof Refusal);
    return refused ?? `(${parts.join(operator === 'and' ? ' AND ' : ' OR ')})`;
  }
  const ofRow = policyCondition(operand, table, session, undefined);
  if (ofRow instanceof Refusal) return byKeys;
  try {
    const text = keys.test(ofRow, operand, table);
    perRow.push(residual.operandText(operand));
    return text;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}
