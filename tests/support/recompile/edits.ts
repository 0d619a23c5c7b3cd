import type { CompileOptions } from '../../../compiler/compile.js';
import type { Random } from '../oracle/random.js';

/** A folder of policies as texts, and how it is compiled. */
export interface Folder {
  readonly policies: { readonly [path: string]: string };
  readonly schemas: { readonly [path: string]: string };
  readonly options: Pick<CompileOptions, 'strictTypes' | 'checksOnly'>;
  /** The last edit, for the messages of a failure. */
  readonly edit: string;
}

/** The folder after a small change, as an author makes it: it may no longer compile. */
export function editedFolder(folder: Folder, random: Random): Folder {
  const edited = editedOnce(folder, random);
  // Saving several files at once, or switching branches.
  return random.chance(0.15) ? editedOnce(edited, random) : edited;
}

function editedOnce(folder: Folder, random: Random): Folder {
  const path = random.pick(Object.keys(folder.policies));
  const text = folder.policies[path] as string;
  const withText = (edit: string, changed: string): Folder => ({
    ...folder,
    policies: { ...folder.policies, [path]: changed },
    edit: `${edit} ${path}`,
  });
  const without = Object.fromEntries(Object.entries(folder.policies).filter(([other]) => other !== path));
  const choice = random.below(40);
  if (choice < 24) return withText('replace words in', replaced(text, random));
  if (choice < 26) return withText('add a comment to', insertedLine(text, '# a comment', random));
  if (choice < 28) return withText('describe', text.replace('\n', `\ndescription: text ${random.below(9)}\n`));
  if (choice < 30) return withText('repeat a line of', insertedLine(text, random.pick(text.split('\n')), random));
  if (choice < 32) return withText('remove a line of', withoutLine(text, random));
  if (choice < 34) return withText('restore', FOLDER.policies[path] ?? text);
  switch (choice) {
    case 34:
      return { ...folder, policies: without, edit: `remove ${path}` };
    case 35:
      return { ...folder, policies: { ...without, [`renamed/${path}`]: text }, edit: `rename ${path}` };
    case 36: {
      const copy = text.replace(/(resource|principal|role|name): (\w+)/, `$1: $2_${random.below(3)}`);
      return { ...folder, policies: { ...folder.policies, [`copy-${path}`]: copy }, edit: `copy ${path}` };
    }
    case 37: {
      const schemas = { ...folder.schemas, 'album.json': replaced(folder.schemas['album.json'] as string, random) };
      return { ...folder, schemas, edit: 'edit a schema' };
    }
    case 38:
      return {
        ...folder,
        options: { strictTypes: random.chance(0.2), checksOnly: random.chance(0.3) },
        edit: 'options',
      };
    default:
      return { ...folder, edit: 'nothing' };
  }
}

/** Words that may take each other's place. */
const WORDS: readonly (readonly string[])[] = [
  ['view', 'edit', 'delete', 'share', 'comment:*', '*', 'comment:{a,b}*'],
  ['user', 'admin', 'auditor', 'staff*', '[user]'],
  ['owner', 'friend', 'helper', 'idle', 'unknown_role'],
  ['EFFECT_ALLOW', 'EFFECT_DENY'],
  ['3', '4', '5', '6.5', '1e9'],
  [
    'V.is_open',
    'V.is_small',
    'R.attr.owner == P.id',
    'R.attr.size < C.longest',
    'R.attr.size < C.most',
    'true',
    'R.attr.due < now()',
    'R.attr.owner.startsWith("a")',
    'R.attr.state.matches("^O+PEN$")',
    'R.attr.state.matches(P.attr.pattern)',
    '"a" in R.attr.tags && size(R.attr.tags) < 3',
    'R.attr.tags.exists(t, t.contains(P.id))',
    'timestamp(R.attr.due).getFullYear() > 2020',
    'R.attr.nothing == "a"',
    'R.attr.sise > 2.0',
    'R.attr.state == "OPEN"',
    'V.is_old',
    'G.region == "eu"',
    'now() == "a"',
    'V.nothing',
    'R.attr.',
    'runtime.effectiveDerivedRoles.exists(r, r == "owner")',
  ],
  ['common', 'others', 'missing'],
  ['shared_variables', 'shared_constants'],
  ['acme', 'acme.hr', 'beta'],
  ['album', 'photo', 'leave_request', 'leave:request', 'alb*', 'a:*'],
  ['SCOPE_PERMISSIONS_OVERRIDE_PARENT', 'SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS'],
  ['is_open', 'is_small', 'is_old', 'is_idle'],
  ['string', 'number', 'boolean'],
  ['size', 'owner', 'state', 'due'],
  ['default', 'next'],
];

function replaced(text: string, random: Random): string {
  const found = WORDS.flatMap((words) =>
    words.filter((word) => text.includes(word)).map((word) => [words, word] as const),
  );
  if (found.length === 0) return text;
  const [words, word] = random.pick(found);
  const parts = text.split(word);
  const at = 1 + random.below(parts.length - 1);
  return `${parts.slice(0, at).join(word)}${random.pick(words)}${parts.slice(at).join(word)}`;
}

function insertedLine(text: string, line: string, random: Random): string {
  const lines = text.split('\n');
  lines.splice(1 + random.below(lines.length - 1), 0, line);
  return lines.join('\n');
}

function withoutLine(text: string, random: Random): string {
  const lines = text.split('\n');
  lines.splice(1 + random.below(lines.length - 2), 1);
  return lines.join('\n');
}

function resource(kind: string, head: string, rules: string): string {
  return `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: ${kind}
  version: default
${head}  rules:
${rules}`;
}

const VIEW = `    - actions: [view, "comment:*"]
      effect: EFFECT_ALLOW
      roles: [user, "staff*"]
    - actions: [edit]
      effect: EFFECT_ALLOW
      roles: [admin]
      condition:
        match:
          expr: R.attr.size < 5.0
`;

/** Warnings included: a definition that is not used, a condition that always holds, a role that is never used. */
export const FOLDER: Folder = {
  policies: {
    'album.yaml': resource(
      'album',
      `  importDerivedRoles: [common]
  schemas:
    resourceSchema:
      ref: authz:///album.json
      ignoreWhen:
        actions: [share]
  constants:
    local:
      longest: 5
  variables:
    import: [shared_variables]
    local:
      is_small: R.attr.size < C.longest
      is_idle: R.attr.state == "IDLE"
`,
      `    - name: owners
      actions: [view, edit]
      effect: EFFECT_ALLOW
      derivedRoles: [owner]
    - name: friends
      actions: [view]
      effect: EFFECT_ALLOW
      derivedRoles: [friend]
      condition:
        match:
          all:
            of:
              - expr: V.is_open
              - expr: V.is_small
      output:
        when:
          ruleActivated: '"seen by " + P.id'
    - actions: [delete]
      effect: EFFECT_DENY
      roles: [user]
      condition:
        match:
          expr: V.is_old
`,
    ),
    'album_acme.yaml': resource('album', '  scope: acme\n', VIEW),
    'album_acme_hr.yaml': resource(
      'album',
      '  scope: acme.hr\n  scopePermissions: SCOPE_PERMISSIONS_OVERRIDE_PARENT\n  importDerivedRoles: [common]\n',
      `${VIEW}    - actions: [share]
      effect: EFFECT_ALLOW
      derivedRoles: [owner]
`,
    ),
    'common.yaml': `apiVersion: api.authz.dev/v1
derivedRoles:
  name: common
  variables:
    import: [shared_variables]
    local:
      is_tiny: R.attr.size < 2
  definitions:
    - name: owner
      parentRoles: [user]
      condition:
        match:
          expr: R.attr.owner == P.id
    - name: friend
      parentRoles: [user, "staff*"]
      condition:
        match:
          expr: V.is_open
    - name: idle
      parentRoles: [user]
      condition:
        match:
          expr: V.is_tiny
`,
    'invariants.yaml': `apiVersion: api.authz.dev/v1
invariants:
  name: albums
  variables:
    import: [shared_variables]
    local:
      is_huge: R.attr.size > 1000
  statements:
    - name: only admins delete
      never:
        resource: album
        actions: [delete, edit]
        principal: {notRoles: [admin]}
        when: {match: {expr: V.is_open}}
        unless: {match: {any: {of: [{expr: R.attr.owner == P.id}, {expr: V.is_huge}]}}}
    - name: who views may comment
      implies: {resource: album, actions: [view], also: ["comment:*"]}
    - name: deletion is final
      final: {rule: resource.album.vdefault#rule-003}
`,
    'leave.yaml': resource(
      'leave:request',
      '  importDerivedRoles: [others]\n  constants:\n    import: [shared_constants]\n',
      `${VIEW}    - actions: [share]
      effect: EFFECT_ALLOW
      derivedRoles: [helper]
      condition:
        match:
          expr: R.attr.size < C.most
`,
    ),
    'leave_next.yaml': resource('leave:request', '', VIEW).replace('default', 'next'),
    'others.yaml': `apiVersion: api.authz.dev/v1
derivedRoles:
  name: others
  definitions:
    - name: helper
      parentRoles: [admin]
`,
    'photo.yaml': resource(
      'photo',
      '  variables:\n    local:\n      is_open: R.attr.state == "OPEN"\n',
      `${VIEW}    - actions: [delete]
      effect: EFFECT_ALLOW
      roles: [user]
      condition:
        match:
          any:
            of:
              - expr: V.is_open
              - expr: R.attr.owner == P.id
`,
    ),
    'principal.yaml': `apiVersion: api.authz.dev/v1
principalPolicy:
  principal: alice
  version: default
  rules:
    - resource: photo
      actions:
        - action: edit
          effect: EFFECT_ALLOW
          condition:
            match:
              expr: R.attr.size < 5.0
        - action: "comment:*"
          effect: EFFECT_DENY
    - resource: "alb*"
      actions:
        - action: view
          effect: EFFECT_ALLOW
          output:
            when:
              ruleActivated: R.attr.state
`,
    'role.yaml': `apiVersion: api.authz.dev/v1
rolePolicy:
  role: auditor
  scope: acme
  parentRoles: [user]
  rules:
    - resource: album
      allowActions: [view, edit]
      condition:
        match:
          expr: R.attr.state == "OPEN"
    - resource: photo
      allowActions: [view]
`,
    'shared_constants.yaml': `apiVersion: api.authz.dev/v1
exportConstants:
  name: shared_constants
  definitions:
    most: 4
    least: 3
`,
    'shared_variables.yaml': `apiVersion: api.authz.dev/v1
exportVariables:
  name: shared_variables
  definitions:
    is_open: R.attr.state == "OPEN"
    is_old: timestamp(R.attr.due) < now()
`,
  },
  schemas: {
    'album.json': JSON.stringify({
      type: 'object',
      properties: {
        size: { type: 'number' },
        owner: { type: 'string' },
        state: { type: 'string' },
        due: { type: 'string' },
      },
    }),
  },
  options: {},
  edit: 'none',
};
