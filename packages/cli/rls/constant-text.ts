/** The words of a condition that reads neither a column nor a function. */
const WORDS = new Set(
  'true false null select as not and or is distinct from in between case when then else end array any all text integer bigint smallint numeric boolean double precision character varying'.split(
    ' ',
  ),
);

/**
 * Whether a condition, as PostgreSQL prints it, reads neither a column nor a function, so that it has one value for all
 * rows. Others can have, too: this is for `true`, `(1 = 1)` and `( SELECT true)`.
 */
export function isConstantText(text: string): boolean {
  const rest = text.replace(/'(?:[^']|'')*'/g, ' ').replace(/\b\d+(?:\.\d+)?(?:e[+-]?\d+)?\b/gi, ' ');
  if (/["$;]|--|\/\*/.test(rest)) return false;
  return (rest.match(/[\p{L}_][\p{L}\p{N}_]*/gu) ?? []).every((word) => WORDS.has(word.toLowerCase()));
}
