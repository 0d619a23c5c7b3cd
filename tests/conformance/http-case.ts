import { isDeepStrictEqual } from 'node:util';
import type { Answer } from '../support/server/http-client.js';

/** A recorded call of the HTTP interface (docs/spec/server.md#conformance). */
export interface HttpCase {
  readonly id: string;
  readonly group: string;
  readonly title: string;
  readonly profile: string;
  readonly method: string;
  readonly path: string;
  readonly headers?: { readonly [name: string]: string };
  readonly body?: unknown;
  readonly bodyRaw?: string;
  readonly bodyBase64?: string;
  readonly want: {
    readonly status: number;
    readonly compare: 'exact' | 'subset' | 'regex' | 'text' | 'status';
    readonly body?: unknown;
    /** Regular expressions; null stands for a header that must be absent. */
    readonly headers?: { readonly [name: string]: string | null };
    readonly callId?: boolean;
    /** The recorded response; `body` has the parts that are compared. */
    readonly oracleBody?: { readonly details?: unknown };
    readonly absent?: readonly string[];
  };
}

/** The request body as bytes on the wire. */
export function bodyOf({ body, bodyRaw, bodyBase64 }: HttpCase): string | Buffer | undefined {
  if (bodyRaw !== undefined) return bodyRaw;
  if (bodyBase64 !== undefined) return Buffer.from(bodyBase64, 'base64');
  return body === undefined ? undefined : JSON.stringify(body, repeated);
}

/** How a response differs from the recorded one, by the rules of http-cases-run.py; undefined when it does not. */
export function problemOf({ group, want }: HttpCase, answer: Answer): string | undefined {
  const problems = [
    ...(answer.status === want.status
      ? []
      : [`status ${answer.status}, not ${want.status}: ${answer.text.slice(0, 200)}`]),
    ...Object.entries(want.headers ?? {}).flatMap(([name, pattern]) =>
      headerProblem(name, pattern, answer.headers[name.toLowerCase()]),
    ),
    ...bodyProblems(want, answer.text),
    ...(group === 'valid' ? detailsProblems(want, answer.text) : []),
  ];
  return problems.length === 0 ? undefined : problems.join('; ');
}

/** `{"$repeat": ["y", 3]}` stands for `yyy`. */
function repeated(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, '$repeat')) return value;
  const [text, times] = (value as { readonly $repeat: readonly [string, number] }).$repeat;
  return text.repeat(times);
}

function headerProblem(
  name: string,
  pattern: string | null,
  value: string | readonly string[] | undefined,
): readonly string[] {
  if (pattern === null) return value === undefined ? [] : [`unexpected header ${name}: ${value}`];
  return value !== undefined && new RegExp(pattern).test(String(value))
    ? []
    : [`header ${name} is ${value}, not ${pattern}`];
}

function bodyProblems(want: HttpCase['want'], text: string): readonly string[] {
  switch (want.compare) {
    case 'status':
      return [];
    case 'text':
      return text.trim() === String(want.body).trim() ? [] : [`body ${text.slice(0, 200)}, not ${want.body}`];
    case 'regex':
      return regularExpression(String(want.body)).test(text) ? [] : [`body does not match ${want.body}`];
    case 'exact':
    case 'subset':
      return jsonProblems(want, text);
  }
}

/** The violated rules and their locations are part of the contract: clients show them next to their fields. */
function detailsProblems({ status, body, oracleBody }: HttpCase['want'], text: string): readonly string[] {
  if (status === 200) return [];
  const wanted = oracleBody?.details ?? (body as { readonly details?: unknown }).details;
  const { details } = JSON.parse(text) as { readonly details?: unknown };
  return isDeepStrictEqual(details, wanted)
    ? []
    : [`details ${JSON.stringify(details)}, not ${JSON.stringify(wanted)}`];
}

/** The cases write flags in front, as Python does: `(?m)^# TYPE `. */
function regularExpression(written: string): RegExp {
  const [, flags = '', pattern = ''] = /^(?:\(\?([ims]+)\))?(.*)$/s.exec(written) ?? [];
  return new RegExp(pattern, flags);
}

/** The alphabet of a call id (docs/spec/server.md#call-id). */
const CALL_ID = /^[0123456789ABCDEFGHJKMNPQRSTVWXYZ]{26}$/;

function jsonProblems(want: HttpCase['want'], text: string): readonly string[] {
  let parsed: { readonly [field: string]: unknown };
  try {
    parsed = JSON.parse(text);
  } catch {
    return [`body is no JSON: ${text.slice(0, 200)}`];
  }
  const { authzCallId, ...got } = parsed;
  const wanted = comparable(want.body);
  const have = comparable(got);
  const isSame = want.compare === 'exact' ? isDeepStrictEqual(have, wanted) : contains(have, wanted);
  return [
    ...(want.callId === true && !CALL_ID.test(String(authzCallId)) ? [`call id ${authzCallId}`] : []),
    ...(want.callId !== true && authzCallId !== undefined ? ['unexpected call id'] : []),
    ...(isSame ? [] : [`body ${JSON.stringify(have).slice(0, 600)}, not ${JSON.stringify(wanted).slice(0, 600)}`]),
    ...(want.absent ?? []).filter((field) => Object.hasOwn(got, field)).map((field) => `unexpected field ${field}`),
  ];
}

/** Sorts unordered lists, reduces validation errors to their subjects, and free texts to their presence. */
function comparable(value: unknown, field?: string): unknown {
  if (field === 'validationErrors' && Array.isArray(value)) return subjectsOf(value);
  if ((field === 'filterDebug' || field === 'error') && typeof value === 'string')
    return FIXED_TEXTS.has(value) ? value : '<text>';
  if (Array.isArray(value)) {
    const items = value.map((item) => comparable(item));
    return field === 'effectiveDerivedRoles' ? sorted(items) : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, item]) => [name, comparable(item, name)] as const);
  const node = Object.fromEntries(entries);
  const isUnordered = (node['operator'] === 'and' || node['operator'] === 'or') && Array.isArray(node['operands']);
  return isUnordered ? { ...node, operands: sorted(node['operands'] as readonly unknown[]) } : node;
}

const FIXED_TEXTS: ReadonlySet<string> = new Set(['', '(true)', '(false)', 'NO_MATCH']);

/** The distinct pairs of path and source of validation errors with a message. */
function subjectsOf(
  errors: readonly { readonly path?: string; readonly source?: string; readonly message?: string }[],
): readonly unknown[] {
  const subjects = errors
    .filter(({ message }) => message)
    .map(({ path, source }) => JSON.stringify([path ?? null, source ?? null]));
  return [...new Set(subjects)].sort();
}

function sorted(items: readonly unknown[]): readonly unknown[] {
  return [...items].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

/** Whether a value contains every field of another with an equal value. Lists must have equal lengths. */
function contains(have: unknown, want: unknown): boolean {
  if (Array.isArray(want))
    return (
      Array.isArray(have) && have.length === want.length && want.every((item, index) => contains(have[index], item))
    );
  if (typeof want !== 'object' || want === null) return isDeepStrictEqual(have, want);
  if (typeof have !== 'object' || have === null || Array.isArray(have)) return false;
  return Object.entries(want).every(
    ([name, item]) => Object.hasOwn(have, name) && contains((have as { readonly [name: string]: unknown })[name], item),
  );
}
