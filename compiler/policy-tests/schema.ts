import {
  bool,
  choice,
  json,
  list,
  map,
  type MessageType,
  messageType,
  named,
  object,
  type Rule,
  text,
} from '../parse/schema/field.js';
import { OPTIONAL_VERSION, SCOPE } from '../parse/schema/patterns.js';

/*
 * The shape of test files as data (docs/spec/server.md#grammar-of-suites), used by the policy reader. Constraints that
 * span several fields are in `agreements.ts`.
 */

const required: Rule = { rule: 'required' };
const notEmpty: Rule = { rule: 'not-empty' };
const unique: Rule = { rule: 'unique' };
const version = text({ rule: 'pattern', pattern: OPTIONAL_VERSION });
const scope = text({ rule: 'pattern', pattern: SCOPE });

const texts = (...rules: readonly Rule[]) => list(text(notEmpty), ...rules);

const EFFECTS = ['EFFECT_UNSPECIFIED', 'EFFECT_ALLOW', 'EFFECT_DENY', 'EFFECT_NO_MATCH'];
const effect = choice(EFFECTS, {
  rule: 'among',
  choices: new Map([
    [1, 'EFFECT_ALLOW'],
    [2, 'EFFECT_DENY'],
  ]),
});

const principals = map(object(() => PRINCIPAL));
const resources = map(object(() => RESOURCE));
const auxData = map(object(() => AUX_DATA));
const principalGroups = map(object(() => PRINCIPAL_GROUP));
const resourceGroups = map(object(() => RESOURCE_GROUP));
const options = object(() => OPTIONS);

/** A file `*_test.yaml`. */
export const SUITE: MessageType = messageType({
  name: text(required),
  description: text(),
  skip: bool(),
  skipReason: text(),
  tests: list(
    object(() => TEST),
    required,
  ),
  principals,
  resources,
  auxData,
  options,
  principalGroups,
  resourceGroups,
  $schema: text(),
});

/** `testdata/principals.yaml` */
export const PRINCIPAL_FIXTURES: MessageType = messageType({ principals, principalGroups, $schema: text() });

/** `testdata/resources.yaml` */
export const RESOURCE_FIXTURES: MessageType = messageType({ resources, resourceGroups, $schema: text() });

/** `testdata/auxdata.yaml` */
export const AUX_DATA_FIXTURES: MessageType = messageType({ auxData, $schema: text() });

const TEST: MessageType = messageType({
  name: text(required),
  description: text(),
  skip: bool(),
  skipReason: text(),
  input: object(() => INPUT, required),
  expected: list(
    object(() => EXPECTATION),
    required,
  ),
  options,
});

const INPUT: MessageType = messageType({
  principals: texts(unique),
  principalGroups: texts(unique),
  resources: texts(unique),
  resourceGroups: texts(unique),
  actions: texts(required, unique),
  auxData: text(),
});

const EXPECTATION: MessageType = messageType({
  principal: text(),
  principals: texts(unique),
  principalGroups: texts(unique),
  resource: text(),
  resources: texts(unique),
  resourceGroups: texts(unique),
  actions: named(effect, required),
  outputs: list(object(() => OUTPUTS)),
});

const OUTPUTS: MessageType = messageType({
  action: text(required),
  expected: list(
    object(() => OUTPUT),
    required,
  ),
});

const OUTPUT: MessageType = messageType({ src: text(), val: json() });

const OPTIONS: MessageType = messageType({
  now: text(),
  lenientScopeSearch: bool(),
  globals: map(json()),
  defaultPolicyVersion: text(),
  defaultScope: text(),
  strictEvaluation: bool(),
});

const PRINCIPAL: MessageType = messageType({
  id: text(required),
  policyVersion: version,
  roles: texts(required, unique),
  attr: named(json()),
  scope,
});

const RESOURCE: MessageType = messageType({
  kind: text(required),
  policyVersion: version,
  id: text(required),
  attr: named(json()),
  scope,
});

const AUX_DATA: MessageType = messageType({ jwt: map(json()), jwts: map(object(() => TOKEN)) });

const TOKEN: MessageType = messageType({ claims: map(json()) });

const PRINCIPAL_GROUP: MessageType = messageType({ principals: texts(required, unique) });

const RESOURCE_GROUP: MessageType = messageType({ resources: texts(required, unique) });
