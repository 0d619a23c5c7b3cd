import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { randomNumbers } from '../../tests/support/protobuf.js';
import type { AccessEvaluationBatchRequest } from '../gen/authzen-messages.js';
import type { CheckResourceSetRequest, CheckResourcesRequest, PlanResourcesRequest } from '../gen/messages.js';
import {
  accessEvaluationBatchRequestViolations,
  accessEvaluationRequestViolations,
  isValidAccessEvaluationBatchRequest,
} from '../gen/validate/authorization.js';
import {
  checkResourceBatchRequestViolations,
  checkResourceSetRequestViolations,
  isValidCheckResourceSetRequest,
  isValidCheckResourcesRequest,
  isValidPlanResourcesRequest,
  planResourcesRequestViolations,
  reportCheckResourceSetRequest,
  reportCheckResourcesRequest,
  reportPlanResourcesRequest,
} from '../gen/validate/request.js';
import { reportAccessEvaluationBatchRequest } from '../gen/validate/authorization.js';
import { expression } from './rules.js';
import { type FieldPath, FoundViolations, type Violations } from './violation.js';

const lines = ({ first }: Violations): readonly string[] =>
  first.map(({ field, message }) => `${formatPath(field)} ${message}`);
const formatPath = (field: FieldPath = { elements: [] }): string =>
  field.elements
    .map(
      ({ fieldName, index, stringKey }) =>
        fieldName + (index === undefined ? '' : `[${index}]`) + (stringKey === undefined ? '' : `["${stringKey}"]`),
    )
    .join('.');

const principal = { id: 'a', policyVersion: '', roles: ['r'], attr: {}, scope: '', actors: [] };
const resource = { kind: 'k', policyVersion: '', id: '1', attr: {}, scope: '' };

test('a set needs actions, a principal, a kind and instances; an instance may have an empty id', () => {
  const set = { kind: 'k', policyVersion: '', instances: new Map([['', { attr: { '': 1 } }]]), scope: '' };
  const whole = { requestId: '', actions: ['a'], principal, resource: set, includeMeta: false, auxData: undefined };
  assert.is(checkResourceSetRequestViolations(whole).count, 0);
  assert.equal(
    lines(checkResourceSetRequestViolations({ ...whole, actions: [], principal: undefined, resource: undefined })),
    ['actions value is required', 'principal value is required', 'resource value is required'],
  );
  assert.equal(
    lines(
      checkResourceSetRequestViolations({
        ...whole,
        actions: ['a', 'a', ''],
        resource: { ...set, kind: '', instances: new Map(), scope: '..' },
      }),
    ),
    [
      'actions repeated value must contain unique items',
      'actions[2] must be at least 1 characters',
      'resource.kind value is required',
      'resource.instances value is required',
      'resource.scope does not match regex pattern `^(^$|\\.|[0-9a-zA-Z][\\w\\-]*(\\.\\w[\\w\\-]*)*)$`',
    ],
  );
});

test('a batch is validated like a check of resources', () => {
  const whole = { requestId: '', principal, resources: [{ actions: ['a'], resource }], auxData: undefined };
  assert.is(checkResourceBatchRequestViolations(whole).count, 0);
  assert.equal(lines(checkResourceBatchRequestViolations({ ...whole, resources: [] })), [
    'resources value is required',
  ]);
  assert.equal(
    lines(
      checkResourceBatchRequestViolations({
        ...whole,
        resources: [{ actions: [], resource: { ...resource, id: '' } }],
      }),
    ),
    ['resources[0].actions value is required', 'resources[0].resource.id value is required'],
  );
});

const subject = { type: 'user', id: 'a', properties: {} };
const thing = { type: 'k', id: '1', properties: {} };
const action = { name: 'read', properties: {} };

test('an evaluation needs subject, resource and action', () => {
  assert.is(accessEvaluationRequestViolations({ subject, resource: thing, action, context: {} }).count, 0);
  assert.equal(
    lines(
      accessEvaluationRequestViolations({
        subject: { ...subject, type: '', properties: { '': 1 } },
        resource: undefined,
        action: { name: '', properties: {} },
        context: { '': 1 },
      }),
    ),
    [
      'subject.type value is required',
      'subject.properties[""] must be at least 1 characters',
      'resource value is required',
      'action.name value is required',
      'context[""] must be at least 1 characters',
    ],
  );
});

test('a batch of evaluations has each part once for all, or in some evaluation', () => {
  const none = { subject: undefined, resource: undefined, action: undefined, context: {} };
  const whole: AccessEvaluationBatchRequest = {
    ...none,
    subject,
    evaluations: [{ ...none, resource: thing, action }],
    options: undefined,
  };
  assert.is(accessEvaluationBatchRequestViolations(whole).count, 0);
  assert.equal(lines(accessEvaluationBatchRequestViolations({ ...whole, evaluations: [] })), [
    'evaluations must contain at least 1 item(s)',
  ]);
  assert.equal(
    lines(
      accessEvaluationBatchRequestViolations({
        ...whole,
        evaluations: [none, none],
        options: { evaluationsSemantic: 'all' },
      }),
    ),
    [
      ' resource must be set for all evaluations, or for some of them',
      ' action must be set for all evaluations, or for some of them',
      'options.evaluations_semantic must be in list [, execute_all, deny_on_first_deny, permit_on_first_permit]',
    ],
  );
});

test('the fast check and the violations agree on random requests', () => {
  const next = randomNumbers(5);
  const one = <T>(...choices: readonly T[]): T => choices[next(choices.length)] as T;
  const text = (): string => one('a', 'a', 'a', 'b', 'b', '.', 'a.b', '', 'é', 'a\n');
  const texts = (): readonly string[] => Array.from({ length: next(4) }, () => one('a', 'b', 'c', 'd', 'e', ''));
  const map = () => (next(6) === 0 ? { '': 1 } : { a: 1 });
  const maybe = <T>(value: T): T | undefined => (next(8) === 0 ? undefined : value);
  const tokens = () => ({
    jwt: maybe({ token: text(), keySetId: '' }),
    jwts: new Map(next(2) === 0 ? [] : [[text(), { token: text(), keySetId: '' }]]),
  });
  const counts = { valid: 0, broken: 0 };
  const agree = <T>(
    message: T,
    isValid: (message: T) => boolean,
    report: (message: T, path: undefined, found: FoundViolations) => void,
  ): void => {
    const found = new FoundViolations();
    report(message, undefined, found);
    assert.is(isValid(message), found.count === 0, JSON.stringify(message));
    counts[found.count === 0 ? 'valid' : 'broken'] += 1;
  };
  for (let round = 0; round < 20_000; round++) {
    const actor = () => ({
      id: text(),
      policyVersion: one('', text()),
      roles: texts(),
      attr: map(),
      scope: one('', text()),
    });
    const actors = next(6) === 0 ? Array.from({ length: one(1, 1, 2, 8, 9) }, actor) : [];
    const somebody = maybe({ ...actor(), actors });
    const something = maybe({
      kind: text(),
      policyVersion: one('', text()),
      id: text(),
      attr: map(),
      scope: one('', text()),
    });
    const common = {
      requestId: '',
      includeMeta: false,
      principal: somebody,
      auxData: next(2) === 0 ? undefined : tokens(),
      requestContext: next(2) === 0 ? undefined : { annotations: map() },
    };
    agree<CheckResourcesRequest>(
      { ...common, resources: Array.from({ length: next(3) }, () => ({ actions: texts(), resource: something })) },
      isValidCheckResourcesRequest,
      reportCheckResourcesRequest,
    );
    agree<PlanResourcesRequest>(
      { ...common, resource: something, action: one('', text()), actions: texts() },
      isValidPlanResourcesRequest,
      reportPlanResourcesRequest,
    );
    const set = maybe({
      kind: text(),
      policyVersion: one('', text()),
      instances: new Map(next(5) === 0 ? [] : [['a', { attr: {} }]]),
      scope: one('', text()),
    });
    agree<CheckResourceSetRequest>(
      { ...common, actions: texts(), resource: set },
      isValidCheckResourceSetRequest,
      reportCheckResourceSetRequest,
    );
    const evaluation = () => ({
      subject: maybe({ type: text(), id: text(), properties: map() }),
      resource: maybe({ type: text(), id: text(), properties: map() }),
      action: maybe({ name: text(), properties: map() }),
      context: map(),
    });
    const options = next(2) === 0 ? undefined : { evaluationsSemantic: one('', 'execute_all', 'x') };
    agree<AccessEvaluationBatchRequest>(
      { ...evaluation(), evaluations: Array.from({ length: next(3) }, evaluation), options },
      isValidAccessEvaluationBatchRequest,
      reportAccessEvaluationBatchRequest,
    );
  }
  assert.ok(counts.valid > 1000 && counts.broken > 1000, JSON.stringify(counts));
});

test('a plan names its actions in one field', () => {
  const plan: PlanResourcesRequest = {
    requestId: '',
    action: 'a',
    actions: [],
    principal,
    resource,
    auxData: undefined,
    includeMeta: false,
    requestContext: undefined,
  };
  assert.is(planResourcesRequestViolations(plan).count, 0);
  const rule = expression('exclusiveFieldsActionOrActions', "Exactly one of 'action' or 'actions' field must be set");
  for (const broken of [
    { ...plan, action: '' },
    { ...plan, actions: ['b'] },
  ])
    assert.equal(planResourcesRequestViolations(broken).first, [rule]);
});

test.run();
