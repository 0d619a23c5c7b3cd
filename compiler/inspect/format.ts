import { visible, visibleJson } from '../diagnostics/visible.js';
import type { InspectedAttribute, InspectedPolicy } from './inspected-policy.js';

/** The output formats: blocks of lines, JSON on one line, indented JSON, YAML. */
const INSPECT_FORMATS = ['text', 'json', 'prettyjson', 'yaml'] as const;
export type InspectFormat = (typeof INSPECT_FORMATS)[number];

/**
 * Formats inspected policies (docs/spec/server.md#inspect). Characters that could manipulate a terminal are escaped.
 * The result ends with a line break, or is empty.
 */
export function formatInspected(
  policies: readonly InspectedPolicy[],
  format: InspectFormat,
  options: { readonly headers: boolean },
): string {
  switch (format) {
    case 'text':
      return policies.map((policy) => formatBlock(policy, options.headers)).join('');
    case 'json':
      return `${visibleJson(toResults(policies))}\n`;
    case 'prettyjson':
      return `${visibleJson(toResults(policies), 2)}\n`;
    case 'yaml':
      return blockYaml(toResults(policies));
  }
}

function formatBlock(
  { policyId, actions, attributes, constants, variables }: InspectedPolicy,
  headers: boolean,
): string {
  const lines: readonly (readonly [string, string])[] = [
    ['POLICY ID ', policyId],
    ['ACTIONS   ', actions.join(',')],
    ['ATTRIBUTES', attributes.map(attributeText).join(',')],
    ['CONSTANTS ', constants.map(({ name }) => name).join(',')],
    ['VARIABLES ', variables.map(({ name }) => name).join(',')],
  ];
  const shown = lines.map(([header, value]) => (headers ? `${header}: ${visible(value)}`.trimEnd() : visible(value)));
  return `${[...shown, ...(headers ? ['-'.repeat(80)] : [])].join('\n')}\n`;
}

function attributeText({ kind, name }: InspectedAttribute): string {
  const owner = kind === 'KIND_PRINCIPAL_ATTRIBUTE' ? 'P' : 'R';
  return /^[A-Za-z_]\w*$/.test(name) ? `${owner}.attr.${name}` : `${owner}.attr[${JSON.stringify(name)}]`;
}

/**
 * The fields of an InspectPoliciesResponse, and the location of each policy. Documents with the same id are
 * distinguished by their files.
 */
function toResults(policies: readonly InspectedPolicy[]): unknown {
  const ids = new Set<string>();
  const results = policies.map((policy) => {
    const { policyId, file, disabled, actions, attributes, derivedRoles, variables, constants } = policy;
    const key = ids.has(policyId) ? `${policyId} (${file})` : policyId;
    ids.add(policyId);
    return [
      key,
      { policyId, file, ...(disabled ? { disabled } : {}), actions, attributes, derivedRoles, variables, constants },
    ] as const;
  });
  return { results: Object.fromEntries(results) };
}

/**
 * A JSON value as block-style YAML. Keys and scalars are written as JSON, which is also valid YAML: strings that look
 * like a number, a date or a YAML keyword remain strings.
 */
function blockYaml(value: unknown): string {
  return `${formatLines(value).join('\n')}\n`;
}

function formatLines(value: unknown): readonly string[] {
  const entries = listEntries(value);
  if (entries.length === 0) return [visibleJson(value)];
  return entries.flatMap(([mark, entry]) => {
    const lines = formatLines(entry);
    const isBlock = listEntries(entry).length > 0;
    if (!isBlock) return [`${mark} ${lines[0]}`];
    // The first entry of an item is on the line of its dash.
    if (mark === '-') return lines.map((line, index) => `${index === 0 ? '- ' : '  '}${line}`);
    return [mark, ...lines.map((line) => `  ${line}`)];
  });
}

/** The lines of a nested block: each entry with its dash or its key. */
function listEntries(value: unknown): readonly (readonly [mark: string, entry: unknown])[] {
  if (Array.isArray(value)) return value.map((entry) => ['-', entry]);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).map(([key, entry]) => [`${formatKey(key)}:`, entry]);
}

function formatKey(key: string): string {
  return PLAIN_KEYS.test(key) ? key : visibleJson(key);
}

/** Field names that need no quotes; none of them is a YAML keyword. */
const PLAIN_KEYS =
  /^(?:results|policyId|file|disabled|actions|attributes|derivedRoles|variables|constants|name|kind|source|value|used)$/;
