/** What docs/conditions.md says before the reference. */
export const HEAD = `# Conditions

<!-- Printed by scripts/generate-conditions-docs.ts: change scripts/conditions, not this page. -->

A condition is an expression of [CEL](https://github.com/google/cel-spec), the Common Expression Language, about one request:

| name | what it is |
|---|---|
| \`P\`, \`request.principal\` | who asks: \`id\`, \`roles\`, \`attr\`, \`policyVersion\`, \`scope\` |
| \`R\`, \`request.resource\` | what it is about: \`kind\`, \`id\`, \`attr\`, \`policyVersion\`, \`scope\` |
| \`request.auxData\` | verified tokens: the claims of one, \`jwt\`, or of several by name, \`jwts\` |
| \`V\`, \`variables\` | variables of the policy |
| \`C\`, \`constants\` | constants of the policy |
| \`G\`, \`globals\` | \`engine.globals\` of the configuration |
| \`runtime\` | \`effectiveDerivedRoles\`: the derived roles that are active |

Four things to know:

- **Numbers of a request are doubles.** \`R.attr.days > 5\` works, for comparison mixes number types; \`R.attr.days + 1\` does not. Write \`R.attr.days + 1.0\`.
- **What is missing makes a condition false**, never an exception. An ALLOW then grants nothing; but a DENY does not apply either. Guard with \`has(R.attr.x)\`,
  give a default with \`R.attr.?x.orValue(0)\`, or turn on \`engine.strictEvaluation\`, which denies instead.
- **A result that is not true is false.** A text or a number as a condition does not hold.
- **Patterns are RE2**: linear time on any text, no look-around and no back-references.

The compiler checks types: an unknown field, a wrong argument or a comparison that can never hold is said at its place, before anything is served.
[The specification](spec/conditions.md) has the precise rules: errors, time zones, output values, grammar.

The examples below see this request:

\`\`\`yaml request
principal: {id: alice, roles: [user], attr: {teams: [red, blue], level: 3}}
resource: {kind: album, id: a1, attr: {owner: bob, visibility: friends, friends: [alice], teams: [blue], size: 12}}
\`\`\`

\`\`\`cel
P.id in R.attr.friends && R.attr.visibility == "friends"  // => true
R.attr.size + 1.0  // => 13
R.attr.size + 1  // => error: no such overload
R.attr.?rating.orValue(0)  // => 0
\`\`\`

An error is shown as \`error:\` and its text: what an output, the log and the audit log say. Timestamps and durations are shown as outputs give them.
`;
