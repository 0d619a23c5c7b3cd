/** What a solver says about a query. */
export type Reply =
  | { readonly status: 'unsat' | 'sat' | 'unknown'; readonly values: readonly SExpression[] }
  /** An error, or anything that is not an answer to the query. */
  | { readonly status: 'trouble' };

/** A symbol, constant or list of SMT-LIB. Symbols in bars are without them; strings begin with `"`. */
export type SExpression = string | readonly SExpression[];

/**
 * Reads the output of a solver for a query that begins and ends with an echo of its hash.
 * @param asked the number of values that were asked for.
 */
export function readReply(output: string | undefined, hash: string, asked: number): Reply {
  const parts = output === undefined ? undefined : parsed(output);
  if (parts === undefined) return TROUBLE;
  const [first, status, ...rest] = parts;
  const last = rest.pop();
  const isEcho = (part: SExpression | undefined): boolean => part === hash || part === `"${hash}`;
  if (!isEcho(first) || !isEcho(last) || !isStatus(status)) return TROUBLE;
  if (rest.length !== (asked > 0 && status === 'sat' ? 1 : 0)) return TROUBLE;
  const [pairs = []] = rest;
  if (typeof pairs === 'string') return TROUBLE;
  const values = pairs.map((pair) => (typeof pair !== 'string' && pair.length === 2 ? pair[1] : undefined));
  if (values.includes(undefined) || (status === 'sat' && values.length !== asked)) return TROUBLE;
  return { status, values: values as SExpression[] };
}

const TROUBLE: Reply = { status: 'trouble' };

function isStatus(part: SExpression | undefined): part is 'unsat' | 'sat' | 'unknown' {
  return part === 'unsat' || part === 'sat' || part === 'unknown';
}

const TOKEN = /\s+|;[^\n]*|([()])|"((?:[^"]|"")*)"|\|([^|\\]*)\||([^\s()"|;]+)/y;
const MOST_DEPTH = 1000;

/** Undefined for text that is not SMT-LIB. */
function parsed(output: string): readonly SExpression[] | undefined {
  const stack: SExpression[][] = [[]];
  for (let at = 0; at < output.length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(output);
    if (match === null) return undefined;
    const [, paren, string, quoted, plain] = match;
    const inner = stack.at(-1) as SExpression[];
    if (paren === '(') {
      if (stack.length === MOST_DEPTH) return undefined;
      stack.push([]);
    } else if (paren === ')') {
      const outer = stack.at(-2);
      if (outer === undefined) return undefined;
      stack.pop();
      outer.push(inner);
    } else if (string !== undefined) inner.push(`"${string.replaceAll('""', '"')}`);
    else if (quoted !== undefined || plain !== undefined) inner.push((quoted ?? plain) as string);
  }
  return stack.length === 1 ? stack[0] : undefined;
}
