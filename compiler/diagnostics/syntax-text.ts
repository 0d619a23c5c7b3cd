/**
 * A syntax error of an expression in plain English. The machine-readable report has the wording of the reference
 * parser, with the names of its tokens and lists of all tokens that could follow.
 */
export function plainSyntaxError(message: string): string {
  const error = /^Syntax error: (.*)$/s.exec(message)?.[1];
  if (error === undefined) return message;
  const unknown = /^token recognition error at: '(.*)'$/s.exec(error)?.[1];
  if (unknown !== undefined)
    return /^[rRbB]{0,2}["']/.test(unknown) ? 'a string is not closed' : `unexpected \`${unknown.trim()}\``;
  const missing = /^missing '(.*)' at '(.*)'$/s.exec(error);
  if (missing !== null)
    return missing[2] === '<EOF>'
      ? `missing \`${missing[1]}\` at the end`
      : `missing \`${missing[1]}\` before \`${missing[2]}\``;
  const input =
    /^(?:mismatched input|extraneous input|no viable alternative at input|missing \S+ at) '(.*?)'(?: expecting .*)?$/s.exec(
      error,
    )?.[1];
  if (input === undefined) return error.replace(/ expecting .*$/s, '');
  return input.endsWith('<EOF>') ? 'the expression ends too early' : `unexpected \`${input}\``;
}
