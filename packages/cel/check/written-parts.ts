import type { CallExpr, Expr } from '../ast/expr.js';

/** The parts of a call that advice repeats, as their author wrote them; undefined where a part has no short text. */
export interface WrittenParts {
  /** The value that the function is about: a name or a path. */
  readonly subject?: string | undefined;
  /** The same, if it is a field that `has` takes. */
  readonly field?: string | undefined;
  /** The same as a time. */
  readonly time?: string | undefined;
  /** The value that the subject is compared with. */
  readonly other?: string | undefined;
}

/**
 * The parts of a call of a function that does not exist, in the form of a method, `R.attr.name.lower()`, or of a
 * function, `lower(R.attr.name)`.
 *
 * @param isMethod whether the target is a value, and no namespace such as that of `strings.lower(R.attr.name)`.
 */
export function writtenParts({ target, args }: Pick<CallExpr, 'target' | 'args'>, isMethod: boolean): WrittenParts {
  const [first, second] = isMethod && target !== undefined ? [target, ...args] : args;
  if (first === undefined) return {};
  // `"admin".in(P.roles)` is about the roles.
  const [about, other] = first.kind === 'literal' && second !== undefined ? [second, first] : [first, second];
  const subject = writePath(about);
  return {
    subject,
    field: about.kind === 'select' ? subject : undefined,
    time: subject === undefined ? writeTime(about) : `timestamp(${subject})`,
    other: other && (writePath(other) ?? writeLiteral(other)),
  };
}

/** `timestamp(R.attr.created)`, for which advice needs no other call around it. */
function writeTime(expr: Expr): string | undefined {
  if (expr.kind !== 'call' || expr.target !== undefined || expr.args.length > 1) return undefined;
  const [argument] = expr.args;
  if (expr.function === 'now' && argument === undefined) return 'now()';
  const path = argument && writePath(argument);
  return expr.function === 'timestamp' && path !== undefined ? `timestamp(${path})` : undefined;
}

function writePath(expr: Expr): string | undefined {
  const names: string[] = [];
  let node = expr;
  while (node.kind === 'select' && !node.optional && names.length < MOST_NAMES) {
    names.push(node.field);
    node = node.operand;
  }
  if (node.kind !== 'ident' || node.rooted) return undefined;
  return [node.name, ...names.reverse()].join('.');
}

const MOST_NAMES = 8;

function writeLiteral(expr: Expr): string | undefined {
  if (expr.kind !== 'literal') return undefined;
  if (expr.type === 'string') return /^[\w .:@/-]{0,40}$/.test(expr.value) ? `"${expr.value}"` : undefined;
  return expr.type === 'bool' || expr.type === 'int' ? `${expr.value}` : undefined;
}
