import type { Step } from '../json.js';
import type { Suggested } from './policy-names.js';

/** One field of a form, and its place in the request. */
export interface FieldRow {
  readonly label: string;
  readonly path: readonly Step[];
  readonly kind: 'text' | 'number' | 'list' | 'json' | 'flag';
  readonly hint?: string;
  readonly required?: boolean;
  /** Occupies a whole line. */
  readonly isWide?: boolean;
  /** The names of policies that are offered. */
  readonly suggests?: Suggested;
}

/** Fields that belong together; rarely used groups are collapsed. */
export interface FieldGroup {
  readonly legend: string;
  readonly fields: readonly FieldRow[];
  readonly more?: readonly FieldRow[];
}

const COMMAS = 'comma-separated';

const PRINCIPAL: FieldGroup = {
  legend: 'Principal',
  fields: [
    { label: 'ID', path: ['principal', 'id'], kind: 'text', required: true },
    { label: 'Roles', path: ['principal', 'roles'], kind: 'list', suggests: 'roles', hint: COMMAS, required: true },
    { label: 'Attributes', path: ['principal', 'attr'], kind: 'json', hint: 'a JSON object' },
  ],
  more: [
    { label: 'Policy version', path: ['principal', 'policyVersion'], kind: 'text', suggests: 'policyVersions' },
    { label: 'Scope', path: ['principal', 'scope'], kind: 'text', suggests: 'scopes' },
  ],
};

const CALL: readonly FieldRow[] = [
  { label: 'Request ID', path: ['requestId'], kind: 'text' },
  { label: 'Token', path: ['auxData', 'jwt', 'token'], kind: 'text', hint: 'a JWT' },
  { label: 'Key set of the token', path: ['auxData', 'jwt', 'keySetId'], kind: 'text' },
];

const OPTIONS: FieldGroup = {
  legend: 'Options',
  fields: [{ label: 'Include the policies that decided', path: ['includeMeta'], kind: 'flag' }],
  more: CALL,
};

/** The form of a check of one resource. */
export const CHECK_FORM: readonly FieldGroup[] = [
  PRINCIPAL,
  {
    legend: 'Resource',
    fields: [
      { label: 'Kind', path: ['resources', 0, 'resource', 'kind'], kind: 'text', suggests: 'kind', required: true },
      { label: 'ID', path: ['resources', 0, 'resource', 'id'], kind: 'text', required: true },
      {
        label: 'Actions',
        path: ['resources', 0, 'actions'],
        kind: 'list',
        suggests: 'actions',
        hint: COMMAS,
        required: true,
        isWide: true,
      },
      { label: 'Attributes', path: ['resources', 0, 'resource', 'attr'], kind: 'json', hint: 'a JSON object' },
    ],
    more: [
      {
        label: 'Policy version',
        path: ['resources', 0, 'resource', 'policyVersion'],
        kind: 'text',
        suggests: 'policyVersions',
      },
      { label: 'Scope', path: ['resources', 0, 'resource', 'scope'], kind: 'text', suggests: 'scopes' },
    ],
  },
  OPTIONS,
];

/** The form of a plan. */
export const PLAN_FORM: readonly FieldGroup[] = [
  PRINCIPAL,
  {
    legend: 'Resources',
    fields: [
      { label: 'Kind', path: ['resource', 'kind'], kind: 'text', suggests: 'kind', required: true },
      { label: 'Actions', path: ['actions'], kind: 'list', suggests: 'actions', hint: COMMAS, required: true },
      {
        label: 'Known attributes',
        path: ['resource', 'attr'],
        kind: 'json',
        hint: 'a JSON object: attributes that all resources share',
      },
    ],
    more: [
      { label: 'Policy version', path: ['resource', 'policyVersion'], kind: 'text', suggests: 'policyVersions' },
      { label: 'Scope', path: ['resource', 'scope'], kind: 'text', suggests: 'scopes' },
    ],
  },
  OPTIONS,
];

/** The form of an explanation of one action. */
export const EXPLAIN_FORM: readonly FieldGroup[] = [
  PRINCIPAL,
  {
    legend: 'Resource',
    fields: [
      { label: 'Kind', path: ['resource', 'kind'], kind: 'text', suggests: 'kind', required: true },
      { label: 'ID', path: ['resource', 'id'], kind: 'text', required: true },
      { label: 'Action', path: ['action'], kind: 'text', suggests: 'actions', required: true, isWide: true },
      { label: 'Attributes', path: ['resource', 'attr'], kind: 'json', hint: 'a JSON object' },
    ],
    more: [
      { label: 'Policy version', path: ['resource', 'policyVersion'], kind: 'text', suggests: 'policyVersions' },
      { label: 'Scope', path: ['resource', 'scope'], kind: 'text', suggests: 'scopes' },
    ],
  },
  {
    legend: 'Options',
    fields: [{ label: 'Near misses', path: ['near'], kind: 'number', hint: 'maximum number of change sets, up to 20' }],
    more: CALL,
  },
];
