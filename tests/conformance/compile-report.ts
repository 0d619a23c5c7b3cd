/**
 * One problem of a recorded report. `advisory` names the parts whose words or positions depend on other parsers (the
 * corpus's README).
 */
export interface RecordedError {
  readonly stage: string;
  readonly kind: string;
  readonly file?: string;
  readonly policy?: string;
  readonly scope?: string;
  readonly message?: string;
  readonly position?: { readonly line: number; readonly column: number; readonly path?: string };
  readonly otherFile?: string;
  readonly descendants?: readonly string[];
  readonly advisory?: readonly string[];
  readonly messagePrefix?: string;
}

/**
 * The problems that only one side has. Stricter than `run.mjs` of the corpus with `--messages normal`: of the parts
 * that depend on other parsers, only those of the YAML parser and of the schema compiler are not compared beyond the
 * recorded prefix. The CEL checker and the field validator are ours, so their messages must match exactly.
 */
export function differences(have: readonly RecordedError[], want: readonly RecordedError[]): readonly string[] {
  const missing = want.map((error) => comparable(error, want));
  const surplus = have.map((error) => comparable(error, want)).filter((text) => !takeOut(missing, text));
  return [...missing.map((text) => `missing ${text}`), ...surplus.map((text) => `surplus ${text}`)];
}

function takeOut(list: string[], text: string): boolean {
  const index = list.indexOf(text);
  if (index >= 0) list.splice(index, 1);
  return index >= 0;
}

function comparable(error: RecordedError, want: readonly RecordedError[]): string {
  const marks = want.filter((wanted) => isFree(wanted) && identityOf(wanted) === identityOf(error));
  const { stage, kind, file, policy, scope, otherFile, descendants } = error;
  const message = marks.length === 0 ? spaced(error.message) : looseMessage(spaced(error.message), marks);
  const position = marks.some(({ advisory }) => advisory?.includes('position')) ? undefined : placeOf(error);
  return JSON.stringify({ stage, kind, file, policy, scope, otherFile, descendants, message, position });
}

function isFree({ advisory, kind, message }: RecordedError): boolean {
  return advisory !== undefined && (kind === 'invalid schema' || (kind === 'parse' && YAML_SYNTAX.test(message ?? '')));
}

const YAML_SYNTAX = /^(?:could not find|non-map value|found character)/;

function identityOf({ stage, kind, file, policy, scope }: RecordedError): string {
  return JSON.stringify([stage, kind, file, policy, scope]);
}

/** The longest of the prefixes that the message begins with. A message whose text is not compared is left out. */
function looseMessage(message: string | undefined, marks: readonly RecordedError[]): string | undefined {
  const prefixes = marks.flatMap(({ messagePrefix }) =>
    messagePrefix === undefined ? [] : [spaced(messagePrefix) as string],
  );
  const fitting = prefixes.filter((prefix) => message?.startsWith(prefix)).sort((a, b) => b.length - a.length);
  if (fitting[0] !== undefined) return fitting[0];
  return marks.some(({ messagePrefix }) => messagePrefix === undefined) ? undefined : message;
}

/** The checker that the corpus was recorded from writes some spaces as no-break spaces. */
function spaced(text: string | undefined): string | undefined {
  return text?.replaceAll('\u00a0', ' ');
}

function placeOf({ position }: RecordedError): RecordedError['position'] {
  if (position === undefined) return undefined;
  const { line, column, path } = position;
  return path === undefined ? { line, column } : { line, column, path };
}
