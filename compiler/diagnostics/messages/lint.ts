import { message } from './message.js';

/**
 * Warnings: policies that compile but probably do not do what their author intended. They are only searched for if
 * there are no errors.
 */
export const lintMessages = {
  'rule/unreachable': message<{
    readonly rule: string;
    /** How many other rules have the same cause. */
    readonly more: number;
    readonly reason: string;
    readonly mayFail: boolean;
  }>({
    severity: 'warning',
    stage: 'compile',
    kind: 'unreachable rule',
    text: ({ rule, more, reason, mayFail }) =>
      `${nameRules(rule, more)} ${more === 0 ? 'has' : 'have'} ${mayFail ? `an effect only under strict evaluation, when ${more === 0 ? 'its condition fails' : 'their conditions fail'}` : 'no effect'}: ${reason}`,
    explanation: `
Another rule of the policy decides every request that this rule matches, so this rule changes no decision:

- a DENY without condition overrides an ALLOW for the same actions and roles, wherever the two are in the policy;
- an ALLOW or DENY without condition makes the same rule with a condition redundant;
- rules of a role policy that allow the same action must *all* hold, so a rule without condition does not relax one with a condition.

The warning is only reported if this is certain. It is not reported for rules whose output could still be emitted, and for rules that are the only ones to name a derived role.

If one rule hides several rules, they share one warning, at the first of them, which counts the others.

With \`engine.strictEvaluation\`, an action is denied when a condition that it depends on fails. A rule with a condition, or with a derived role that has one, can therefore
still deny an action. The message says so.

Remove the rule. If it is meant as an exception, narrow the actions, the roles or the condition of the rule that overrides it.
`,
  }),
  'rule/repeated': message<{
    readonly rule: string;
    readonly more: number;
    readonly other: string;
    readonly orderMatters: boolean;
  }>({
    severity: 'warning',
    stage: 'compile',
    kind: 'repeated rule',
    text: ({ rule, more, other, orderMatters }) =>
      `${nameRules(rule, more)} ${more === 0 ? 'repeats' : 'repeat'} rule \`${other}\`${orderMatters ? '; their order matters only under strict evaluation' : ''}`,
    explanation: `
Another rule of the policy has the same effect and the same condition, and matches at least the same actions and roles.

With \`engine.strictEvaluation\`, a condition that fails ends the evaluation of the action. If the repeated rule comes first, removing it can change which outputs an action has and which policy denied it, never the decision. The message says so.

Remove the rule, or correct the part that should differ: after copying a rule, it is easy to forget to change its actions, roles or condition.
`,
  }),
  'rule/not-in-sql': message<{
    readonly what: string;
    readonly rule: string;
    readonly kind: string;
    readonly dialect: string;
    readonly reason: string;
  }>({
    severity: 'warning',
    stage: 'compile',
    kind: 'rule not in SQL',
    text: ({ what, rule, kind, dialect, reason }) =>
      `${what} \`${rule}\` has no SQL condition over the table of \`${kind}\` (${dialect}): ${reason}`,
    explanation: `
The condition of a rule cannot be written in SQL over the declared tables, for any principal. A list of these resources that depends on the rule fails at run time, for the same reason.
\`authzc compile --table\` reports this before it happens.

The warning is only reported if this is certain. A condition that can be expressed for some principals, for example because an attribute of the principal is a string, is not reported.

Declare a column or a relation for the attribute, or write the condition with operators that SQL supports ([refusals](../plans.md#refusals)). If your application never lists these resources by the actions of the rule, remove
the kind from the file of tables.
`,
  }),
  'sql/closure-per-row': message<{
    readonly what: string;
    readonly rule: string;
    readonly kind: string;
    readonly dialect: string;
    readonly table: string;
  }>({
    severity: 'warning',
    stage: 'compile',
    kind: 'closure for each row',
    text: ({ what, rule, kind, dialect, table }) =>
      `${what} \`${rule}\` makes a list of \`${kind}\` follow \`${table}\` for each row (${dialect})`,
    explanation: `
The database must follow a \`closure\`, such as the folders above a document, again for each row. The result is right, but a long list is slow. MySQL and MariaDB cannot do this at all.

A condition on a list with \`closure\` is usually evaluated once per query: the database finds the folders that satisfy it, and all folders below them.
This is not possible if the condition counts the elements, as \`exists_one\` and \`size\` do, or compares an element with the resource.

Use \`exists\` or \`all\` with a condition that reads only the element and the principal, such as \`R.attr.ancestors.exists(f, f.owner == P.id)\`
([rows of several steps](../plans.md#rows-of-several-steps)). If lists of this kind are short, you can leave the rule as it is.
`,
  }),
  'rls/action': message<{ readonly field: string; readonly problem: string }>({
    severity: 'error',
    stage: 'rls',
    kind: 'row level security',
    text: ({ field, problem }) => `${field}: ${problem}`,
    explanation: `
A setting below \`rls\` in a table file is missing or invalid.

- \`rls\` of a table names the action that must be allowed for each statement: \`select: view\`. Write several actions as \`{any: [view, audit]}\` if one of them is enough, or as
  \`{all: [view, edit]}\` if all are needed. For \`update\`, the row before and the row after the change may need different actions: \`{using: edit, check: create}\`.
- The name of the table must include its schema, such as \`public.documents\`, because each session can change its search path.
- \`rls\` at the top of the file says where the principal comes from, such as \`principal: settings\`, and declares the types of attributes.

Use one of these forms ([row level security](../row-level-security.md)).
`,
  }),
  'rls/user-metadata': message<{ readonly attribute: string; readonly claim: string }>({
    severity: 'error',
    stage: 'rls',
    kind: 'row level security',
    text: ({ attribute, claim }) =>
      `the attribute \`${attribute}\` comes from the claim \`${claim}\`, which users can change`,
    advice: 'use a claim that only your server writes, such as `app_metadata.tenant`',
    explanation: `
An attribute of the principal comes from a claim that users can change. They can write any value into \`user_metadata\` (Supabase) or \`unsafe_metadata\` (Clerk), with the API that the browser uses.
A policy that compares such an attribute lets users choose their own tenant or level.

Use a claim that only your server writes, such as \`app_metadata.tenant\` or \`org_id\`. This check cannot be turned off.
`,
  }),
  'rls/not-in-sql': message<{
    readonly kind: string;
    readonly command: string;
    readonly reason: string;
  }>({
    severity: 'error',
    stage: 'rls',
    kind: 'row level security',
    text: ({ kind, command, reason }) =>
      `\`${command}\` of \`${kind}\` cannot be written as a PostgreSQL policy: ${reason}`,
    explanation: `
The condition of these actions contains something that PostgreSQL cannot decide in the same way as a check. \`authzc rls\` writes a policy only if it selects exactly the rows that a check
allows, so it writes nothing: a policy that selects too few rows hides data unnoticed, and one that selects too many leaks data.

Common reasons:

- The condition compares an attribute of the principal with a value in a JSON column, and the type of neither is known. Declare the type of the attribute under \`rls.attributes\`, or map a column with a type.
- An attribute of the resource has no column. Add it to the table.
- An operation has no SQL, such as \`matches\` on an attribute of the resource ([refusals](../plans.md#refusals)).

Change the condition or the table, or omit the statement under \`rls\`. The database then denies the statement to everyone.
`,
  }),
  'facts/whole': message<{ readonly side: string }>({
    severity: 'warning',
    stage: 'compile',
    kind: 'attributes read as a whole',
    text: ({ side }) => `\`${side}\` is read as a whole: the decision needs every attribute`,
    explanation: `
A condition reads all attributes of the principal or of the resource at once, as \`R.attr == P.attr\` and \`size(R.attr) > 3\` do. The compiler then cannot list the attributes that are needed:
callers must send every attribute, a [facts engine](../send-ids.md) fetches everything that its sources provide, and no attribute can be left out of an
[audit entry](../audit.md#keep-only-what-decisions-read).

The warning is only reported with \`--facts\`. Decisions are correct.

Name the attributes in the condition, or put the compared attributes into one map: \`R.attr.labels == P.attr.labels\` reads one attribute.
`,
  }),
  'rls/no-index': message<{ readonly kind: string; readonly command: string }>({
    severity: 'warning',
    stage: 'rls',
    kind: 'row level security',
    text: ({ kind, command }) => `\`${command}\` of \`${kind}\` cannot use an index: some principals see every row`,
    explanation: `
PostgreSQL cannot use an index, because the policy allows some principals every row and others only the rows in which a column matches. The condition combines both:
\`has_role('admin') OR owner = id\`. PostgreSQL plans the query before it knows the principal, so it reads the whole table for everyone.

The policy is correct, but slow on a large table. For lists, add [the plan](../plans.md) to the query: it is specific to the principal, so it can use an index, and the policy still
hides all other rows. Or give principals who see every row a separate database role, and omit this role from \`to\`.
`,
  }),
  'rls/slow-relation': message<{ readonly kind: string; readonly command: string; readonly condition: string }>({
    severity: 'warning',
    stage: 'rls',
    kind: 'row level security',
    text: ({ kind, command, condition }) =>
      `\`${command}\` of \`${kind}\` calls a function for each row, for \`${condition}\``,
    explanation: `
The condition compares related rows with a column of the resource, or counts them, so the policy calls a function for each row. The result is correct, but slow if a statement reads many rows.
A condition that only compares related rows with the principal is evaluated once per statement.

For lists, add [the plan](../plans.md) to the query: it selects the rows first, and the function is called only for these. Or change the
condition so that it reads only related rows and the principal, such as a column of the share instead of a column of the document.
`,
  }),
  'rls/insert-returning': message<{ readonly kind: string }>({
    severity: 'warning',
    stage: 'rls',
    kind: 'row level security',
    text: ({ kind }) =>
      `a principal may insert a row of \`${kind}\` that it cannot read: \`INSERT … RETURNING\` then fails`,
    explanation: `
A principal may be allowed to insert a row but not to read it, so an \`INSERT\` that returns the row can fail. PostgreSQL applies the policy of \`SELECT\` to the returned row, and reports "new row violates
row-level security policy", although a check allows the insert. Prisma, TypeORM, and Drizzle with \`returning()\` return inserted rows.

Let principals read the rows that they may insert: add a rule for the same roles with the same condition. Or write \`insert: {all: [create, view]}\`, which denies inserting a row that the principal cannot read. Ignore the warning if
your application inserts these rows without \`RETURNING\`.
`,
  }),
  'rule/name-collides': message<{ readonly name: string }>({
    severity: 'warning',
    stage: 'compile',
    kind: 'rule name collides',
    text: ({ name }) => `two rules have the name \`${name}\``,
    explanation: `
Two rules of the policy have the same name. An unnamed rule is named after its position: the second rule is \`rule-002\`, or \`<resource>_rule-002\` in a principal policy. Either another
rule has this name, or two resources of a principal policy that can match the same request have actions with the same name.

The name identifies the rule: the outputs of the two cannot be distinguished, and within one request **the result of the condition that is evaluated first counts for both**.

Give each rule a unique name.
`,
  }),
  'condition/always-true': message<{ readonly text: string }>({
    severity: 'warning',
    stage: 'compile',
    kind: 'condition always true',
    text: ({ text }) => `\`${text}\` is always true`,
    explanation: `
This condition, or this part of a condition, does not depend on the request and is true.

Remove it: a rule without condition always applies. If it should depend on the request, compare with an attribute (\`R.attr.x\`, \`P.attr.x\`).
`,
  }),
  'condition/always-false': message<{ readonly text: string; readonly reason?: string }>({
    severity: 'warning',
    stage: 'compile',
    kind: 'condition always false',
    text: ({ text, reason }) =>
      reason === undefined ? `\`${text}\` is always false` : `\`${text}\` never holds: ${reason}`,
    explanation: `
This condition, or this part of a condition, can never hold: it does not depend on the request and is false, or its value is not a boolean. Only \`true\` holds: a string, a number
or a list never does, and causes no error.

Compare the value (\`R.attr.status == "OPEN"\`, \`size(R.attr.tags) > 0\`), test its presence with \`has(R.attr.x)\`, or remove the rule.
`,
  }),
  'comparison/never-holds': message<{
    readonly operator: string;
    readonly left: string;
    readonly right: string;
    readonly always: boolean;
  }>({
    severity: 'warning',
    stage: 'compile',
    kind: 'comparison never holds',
    text: ({ operator, left, right, always }) =>
      `\`${operator}\` is always ${always}: ${left} and ${right} are never equal`,
    explanation: `
The two sides of the comparison have types that are never equal. Attributes, token claims and constants are plain JSON: strings, numbers, booleans, null, lists and maps, never
timestamps, durations, bytes, IP addresses, hierarchies or optionals.

Convert the attribute first: \`timestamp(R.attr.created) == timestamp("2030-01-01T00:00:00Z")\`, \`duration(R.attr.limit)\`, \`ip(R.attr.address)\`, \`bytes(R.attr.key)\`,
\`hierarchy(R.attr.path)\`. To compare an optional, use \`R.attr.?x.orValue("")\`.
`,
  }),
  'expression/always-fails': message<{
    readonly operator: string;
    readonly left: string;
    readonly right: string | undefined;
  }>({
    severity: 'warning',
    stage: 'compile',
    kind: 'expression always fails',
    text: ({ operator, left, right }) =>
      `\`${operator}\` always fails: it is not defined for ${right === undefined ? left : `${left} and ${right}`}`,
    explanation: `
The operator is not defined for values of these types, so the expression fails in every request, and a condition that fails does not hold: an ALLOW is never granted, **a DENY
never applies**.

Attributes, token claims and constants are plain JSON. Their numbers are doubles, and arithmetic never mixes number types: write \`R.attr.n + 1.0\` or \`int(R.attr.n) + 1\`, and
\`int(R.attr.n) % 2\`, because \`%\` only accepts integers. Timestamps and durations are strings in JSON: write \`timestamp(R.attr.due) < now()\` and
\`duration(R.attr.limit) > duration("1h")\`.
`,
  }),
  'expression/unusable-pattern': message<{ readonly name: string; readonly reason: string }>({
    severity: 'warning',
    stage: 'compile',
    kind: 'unusable regular expression',
    text: ({ name, reason }) => `functions that use \`${name}\` as a regular expression always fail: ${reason}`,
    explanation: `
A constant or variable is used as a regular expression, as in \`matches\` or \`regex.extract\`, but is not valid RE2 syntax or is too large: \`.{1,1000}\` counts as a thousand
instructions. The call fails in every request, and a condition that fails does not hold: an ALLOW is never granted, **a DENY never applies**.

Correct the pattern, or use smaller counts. Patterns that are written in the expression itself are errors.
`,
  }),
  'expression/unusable-argument': message<{
    readonly name: string;
    readonly argument: string;
    readonly wanted: string;
  }>({
    severity: 'warning',
    stage: 'compile',
    kind: 'unusable argument',
    text: ({ name, argument, wanted }) => `\`${name}\` always fails: \`${argument}\` is not ${wanted}`,
    explanation: `
The function cannot read this text, constant or variable: a range of addresses with a prefix that is too long, a time zone that does not exist, a duration of days. The call fails
in every request, and a condition that fails does not hold: an ALLOW is never granted, **a DENY never applies**.

Write what the note suggests. \`duration\`, \`timestamp\`, \`ip\` and \`cidr\` of a text in the expression itself are errors.
`,
  }),
  'derived-role/never-used': message<{ readonly name: string }>({
    severity: 'warning',
    stage: 'compile',
    kind: 'derived role never used',
    text: ({ name }) => `no rule names the derived role \`${name}\``,
    explanation: `
The set is imported, and other derived roles in it are used, but no rule of the importing policies names this one.

Remove the definition, or add it to \`derivedRoles\` of a rule.
`,
  }),
  'import/unused': message<{ readonly import: string; readonly name: string }>({
    severity: 'warning',
    stage: 'compile',
    kind: 'unused import',
    text: (p) => `nothing from the imported ${p.import} \`${p.name}\` is used`,
    explanation: `
The policy imports a set of derived roles, variables or constants and does not use it.

Remove the import.
`,
  }),
  'file/never-imported': message<{ readonly policy: string }>({
    severity: 'warning',
    stage: 'compile',
    kind: 'file never imported',
    text: ({ policy }) => `no policy imports ${policy}`,
    explanation: `
Derived roles, exported variables and exported constants have no effect until a policy imports them. A set that no policy imports **is not compiled**: errors in its expressions
stay unnoticed until it is imported.

Import it (\`importDerivedRoles\`, \`variables.import\`, \`constants.import\`), set \`disabled: true\` in it, or remove the file.
`,
  }),
  'variable/unused': message<{ readonly name: string }>({
    severity: 'warning',
    stage: 'compile',
    kind: 'unused variable',
    text: ({ name }) => `variable \`${name}\` is never used`,
    explanation: `
No condition and no output of the policy uses the variable, directly or through another variable. It does not exist at run time.

Remove it, or use it as \`V.name\`. Only variables that the policy itself defines are checked.
`,
  }),
  'constant/unused': message<{ readonly name: string }>({
    severity: 'warning',
    stage: 'compile',
    kind: 'unused constant',
    text: ({ name }) => `constant \`${name}\` is never used`,
    explanation: `
No condition, output or used variable of the policy uses the constant. It does not exist at run time.

Remove it, or use it as \`C.name\`. Only constants that the policy itself defines are checked.
`,
  }),
  'role-policy/never-matches': message<{ readonly resource: string; readonly reason: string }>({
    severity: 'warning',
    stage: 'compile',
    kind: 'role policy never matches',
    text: ({ resource, reason }) => `\`${resource}\` matches no resource: ${reason}`,
    explanation: `
A rule of a role policy names a resource that matches no request. The kind in a request is looked up with \`:\`, \`@\`, \`-\` and \`/\` replaced by \`_\`: \`album:object\` becomes
\`album_object\`. The resources in a **role** policy are compared with the result as written, unlike those of principal policies.

The same warning is reported if there is no resource policy for such a resource: a role policy only narrows what resource policies allow.

Write the name as it is looked up (\`album_object\`, \`album_*\`) or \`"*"\`, or correct the name. Only kinds that are not plain names, such as \`album:1\` or \`an album\`, keep
their characters.
`,
  }),
  'principal-policy/never-matches': message<{ readonly resource: string; readonly reason: string }>({
    severity: 'warning',
    stage: 'compile',
    kind: 'principal policy never matches',
    text: ({ resource, reason }) => `\`${resource}\` matches no resource: ${reason}`,
    explanation: `
A rule of a principal policy names resources with a glob that contains \`:\`, \`@\`, \`-\` or \`/\`, so it matches no plain kind. The kind in a request is looked up with these characters replaced by \`_\`, and globs are compared
with the result as written. (A resource without \`*\` is not a glob, and is translated like the kind.)

Write the glob with \`_\`: \`album_*\` for \`album:*\`, \`leave_*\` for \`leave-*\`. Only kinds that are not plain names, such as \`album:1\` or \`an album\`, keep their characters.
`,
  }),
  'glob/unreliable': message<{ readonly glob: string; readonly reason: string }>({
    severity: 'warning',
    stage: 'compile',
    kind: 'unreliable glob',
    text: ({ glob, reason }) => `glob \`${glob}\` is unreliable: ${reason}`,
    explanation: `
The glob matches nothing, or PDPs match it differently:

- a glob that is not valid (\`[*\`, \`[z-a]\`, \`[]\`) matches nothing, without an error;
- three or more stars in a row: write \`*\` (anything but \`:\`) or \`**\` (anything);
- a star inside braces next to text outside of them (\`x{view*,edit}\`): some PDPs miss matches. Write the alternatives out: \`xview*\` and \`xedit\`. Braces without adjacent text
  (\`{view*,edit}\`) are reliable;
- a brace that is never closed.
`,
  }),
  'glob/literal': message<{ readonly text: string }>({
    severity: 'warning',
    stage: 'compile',
    kind: 'literal glob',
    text: ({ text }) => `\`${text}\` is not a glob here: it is compared literally`,
    explanation: `
In the actions and roles of resource policies, in the rules of principal policies, in the resources of role policies and in the parent roles of derived roles, a string is a glob
**only if it contains \`*\`**. Without \`*\`, the characters \`?\`, \`[abc]\` and \`{a,b}\` are literal there. (In \`allowActions\` of role policies and in \`ignoreWhen\` they are wildcards.)

List the names separately, or use a \`*\`.
`,
  }),
  'scope/unreachable': message<{ readonly policy: string }>({
    severity: 'warning',
    stage: 'compile',
    kind: 'unreachable scope',
    text: ({ policy }) => `no request can reach ${policy}`,
    explanation: `
The policy has the scope \`.\`. In a request, \`.\` means the root scope; in a policy, it is a separate scope that no request can name.

Omit \`scope\` for the root scope.
`,
  }),
  'scope/consent-at-root': message<{ readonly policy: string }>({
    severity: 'warning',
    stage: 'compile',
    kind: 'consent at the root scope',
    text: ({ policy }) => `${policy} can never allow: the root scope has no parent that could consent`,
    explanation: `
The policy is at the root scope, but its ALLOWs need the consent of a parent scope
(\`scopePermissions: SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS\`). Such an ALLOW counts only if a parent scope allows as well, and the root has no parent. A
conditional ALLOW denies principals who do not meet its condition.

Remove \`scopePermissions\` from policies at the root, or give the policy the intended \`scope\`.
`,
  }),
  'deprecated/output-expr': message<Nothing>({
    severity: 'warning',
    stage: 'compile',
    kind: 'deprecated',
    text: () => '`output.expr` is deprecated',
    explanation: `
\`output.expr\` is the older spelling of \`output.when.ruleActivated\`. If both are present, only \`ruleActivated\` is used.

Write:

\`\`\`yaml
output:
  when:
    ruleActivated: R.attr.reason
\`\`\`
`,
  }),
  'deprecated/top-level-variables': message<Nothing>({
    severity: 'warning',
    stage: 'compile',
    kind: 'deprecated',
    text: () => 'top-level `variables` are deprecated',
    explanation: `
\`variables\` next to the policy type is an older spelling of the local variables of the policy.

Move the definitions below the policy type:

\`\`\`yaml
resourcePolicy:
  variables:
    local:
      is_owner: R.attr.owner == P.id
\`\`\`
`,
  }),
  'deprecated/function': message<{ readonly name: string; readonly modern: string }>({
    severity: 'warning',
    stage: 'compile',
    kind: 'deprecated',
    text: ({ name, modern }) => `\`${name}\` is deprecated: it was renamed to \`${modern}\``,
    explanation: `
This is an older name of the function, which still works.

Write \`hasIntersection\` for \`has_intersection\`, \`isSubset\` for \`is_subset\`.
`,
  }),
};

/** ``rule `a` and 46 more``. */
function nameRules(rule: string, more: number): string {
  return `rule \`${rule}\`${more === 0 ? '' : ` and ${more} more`}`;
}

/** No parameters. */
type Nothing = Readonly<Record<never, never>>;
