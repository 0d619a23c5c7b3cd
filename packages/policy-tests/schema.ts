import {
  bool,
  choice,
  field,
  json,
  list,
  map,
  type MessageType,
  messageType,
  named,
  object,
  type Rule,
  text,
} from '../../compiler/parse/schema/field.js';
import { OPTIONAL_VERSION, SCOPE } from '../../compiler/parse/schema/patterns.js';

/*
 * The shape of test files as data (docs/spec/server.md#grammar-of-suites), used by the policy reader. Constraints that
 * span several fields are in `agreements.ts`.
 */

const required: Rule = { rule: 'required' };
const notEmpty: Rule = { rule: 'not-empty' };
const unique: Rule = { rule: 'unique' };
const texts = (...rules: readonly Rule[]) => list(text(notEmpty), ...rules);

const EFFECTS = ['EFFECT_UNSPECIFIED', 'EFFECT_ALLOW', 'EFFECT_DENY', 'EFFECT_NO_MATCH', 'UNKNOWN'];
const effect = choice(EFFECTS, {
  rule: 'among',
  choices: new Map([
    [1, 'EFFECT_ALLOW'],
    [2, 'EFFECT_DENY'],
    [4, 'UNKNOWN'],
  ]),
});

const principals = field('principals by key', map(object(() => PRINCIPAL)));
const resources = field('resources by key', map(object(() => RESOURCE)));
const auxData = field('auxiliary data by key', map(object(() => AUX_DATA)));
const principalGroups = field('groups of principals by name', map(object(() => PRINCIPAL_GROUP)));
const resourceGroups = field('groups of resources by name', map(object(() => RESOURCE_GROUP)));
const skip = field('do not run it', bool());
const skipReason = field('why it is skipped', text());
const description = field('free text for readers', text());
const schema = field('JSON Schema of the file, for editors', text());
const policyVersion = field(
  'policy version; the default version if absent',
  text({ rule: 'pattern', pattern: OPTIONAL_VERSION }),
);
const scope = field('scope; the default scope if absent', text({ rule: 'pattern', pattern: SCOPE }));

/** A file `*_test.yaml`. */
export const SUITE: MessageType = messageType({
  name: field('name of the suite', text(required)),
  description,
  skip,
  skipReason,
  tests: field(
    'the tests',
    list(
      object(() => TEST),
      required,
    ),
  ),
  principals,
  resources,
  auxData,
  options: field(
    'options of the engine for all tests',
    object(() => OPTIONS),
  ),
  principalGroups,
  resourceGroups,
  $schema: schema,
});

/** `testdata/principals.yaml` */
export const PRINCIPAL_FIXTURES: MessageType = messageType({ principals, principalGroups, $schema: schema });

/** `testdata/resources.yaml` */
export const RESOURCE_FIXTURES: MessageType = messageType({ resources, resourceGroups, $schema: schema });

/** `testdata/auxdata.yaml` */
export const AUX_DATA_FIXTURES: MessageType = messageType({ auxData, $schema: schema });

const TEST: MessageType = messageType({
  name: field('name of the test, unique in the suite', text(required)),
  description,
  skip,
  skipReason,
  unknown: field(
    'facts that are not known, such as `resource.attr.owner`; values that fixtures have for them are ignored',
    texts(unique),
  ),
  input: field(
    'the requests: every principal with every resource',
    object(() => INPUT, required),
  ),
  expected: field(
    'the effects; an action that is not listed is expected to be denied',
    list(
      object(() => EXPECTATION),
      required,
    ),
  ),
  options: field(
    'options of the engine, which replace those of the suite',
    object(() => OPTIONS),
  ),
});

const INPUT: MessageType = messageType({
  principals: field('keys of principals', texts(unique)),
  principalGroups: field('groups of principals', texts(unique)),
  resources: field('keys of resources', texts(unique)),
  resourceGroups: field('groups of resources', texts(unique)),
  actions: field('the actions', texts(required, unique)),
  auxData: field('key of auxiliary data', text()),
});

const EXPECTATION: MessageType = messageType({
  principal: field('key of the principal', text()),
  principals: field('keys of principals', texts(unique)),
  principalGroups: field('groups of principals', texts(unique)),
  resource: field('key of the resource', text()),
  resources: field('keys of resources', texts(unique)),
  resourceGroups: field('groups of resources', texts(unique)),
  actions: field(
    'effects by action; `UNKNOWN` if the decision depends on facts that are `unknown` in the test',
    named(effect, required),
  ),
  outputs: field('outputs by action', list(object(() => OUTPUTS))),
});

const OUTPUTS: MessageType = messageType({
  action: field('the action', text(required)),
  expected: field(
    'its outputs',
    list(
      object(() => OUTPUT),
      required,
    ),
  ),
});

const OUTPUT: MessageType = messageType({
  src: field('rule that gives the output: id of the policy, `#` and name', text()),
  val: field('its value', json()),
});

const OPTIONS: MessageType = messageType({
  now: field('value of `now()`, as in `2024-05-01T12:00:00Z`', text()),
  lenientScopeSearch: field('if the scope has no policy, use the nearest parent scope that has one', bool()),
  globals: field('values of `globals` in conditions', map(json())),
  defaultPolicyVersion: field('policy version of requests without one', text()),
  defaultScope: field('scope of requests without one', text()),
  strictEvaluation: field('deny the action if a condition cannot be evaluated', bool()),
});

const PRINCIPAL: MessageType = messageType({
  id: field('id of the principal', text(required)),
  policyVersion,
  roles: field('roles of the principal', texts(required, unique)),
  attr: field('attributes: `P.attr` in conditions', named(json())),
  scope,
});

const RESOURCE: MessageType = messageType({
  kind: field('kind of the resource', text(required)),
  policyVersion,
  id: field('id of the resource', text(required)),
  attr: field('attributes: `R.attr` in conditions', named(json())),
  scope,
});

const AUX_DATA: MessageType = messageType({
  jwt: field('claims of the token', map(json())),
  jwts: field('several tokens by name', map(object(() => TOKEN))),
});

const TOKEN: MessageType = messageType({ claims: field('claims of the token', map(json())) });

const PRINCIPAL_GROUP: MessageType = messageType({
  principals: field('keys of its members', texts(required, unique)),
});

const RESOURCE_GROUP: MessageType = messageType({ resources: field('keys of its members', texts(required, unique)) });
