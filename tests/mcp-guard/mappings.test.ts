import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Claims, type Evaluation, MappingError, mcpGuard } from '../../packages/mcp-guard/index.js';

const SCHEMA = {
  type: 'object',
  properties: {
    document: { type: 'string' },
    amount: { type: 'number' },
    tags: { type: 'array', items: { type: 'string' } },
    target: { $ref: '#/$defs/target' },
  },
  required: ['document', 'target'],
  additionalProperties: false,
  $defs: {
    target: {
      type: 'object',
      properties: { team: { enum: ['red', 'blue'] } },
      required: ['team'],
      additionalProperties: false,
    },
  },
};
const ANN: Claims = { sub: 'ann', client_id: 'agent-7', dept: 'sales' };
const CALL = { document: 'd1', target: { team: 'red' } };
const ACTION = { name: 'move' };
const RESOURCE = { type: 'document', id: '$params.arguments.document' };

const guardOf = (mapping: unknown, asked: Evaluation[] = []) =>
  mcpGuard({
    tools: [{ name: 'move', inputSchema: { ...SCHEMA, 'x-authzen-mapping': mapping } }],
    server: 'files',
    decisionPoint: async (evaluation) => {
      asked.push(evaluation);
      return true;
    },
  });

/** What a call asks, or why it is refused. */
async function askedBy(mapping: unknown, args: object = CALL, token = ANN): Promise<readonly Evaluation[] | string> {
  const asked: Evaluation[] = [];
  const request = { method: 'tools/call', params: { name: 'move', arguments: args } };
  const refusal = await guardOf(mapping, asked).refusalOf(request, token);
  return refusal === undefined ? asked : `${refusal.reason}: ${refusal.detail}`;
}

function problemsOf(mapping: unknown): readonly string[] {
  try {
    guardOf(mapping);
    return [];
  } catch (error) {
    assert.instance(error, MappingError);
    return (error as MappingError).problems.map(({ tool, path, message }) => `${tool} ${path}: ${message}`);
  }
}

test('a mapping makes one evaluation, with the verified subject and the agent', async () => {
  const mapping = {
    evaluation: {
      action: ACTION,
      resource: {
        ...RESOURCE,
        properties: { team: '$params.arguments.target.team', price: '$$5', amount: '$params.arguments.?amount' },
      },
      context: { dept: '$token.dept', tags: ['$params.arguments.document', 'x'] },
    },
  };
  assert.equal(await askedBy(mapping), [
    {
      action: ACTION,
      resource: { type: 'document', id: 'd1', properties: { team: 'red', price: '$5' } },
      context: { dept: 'sales', tags: ['d1', 'x'], agent: 'agent-7' },
      subject: { type: 'identity', id: 'ann' },
    },
  ]);
  const [withAmount] = (await askedBy(mapping, { ...CALL, amount: 2.5 })) as readonly Evaluation[];
  assert.is(withAmount?.resource.properties?.['amount'], 2.5);
});

test('a list of evaluations shares what stands beside it', async () => {
  const mapping = {
    evaluations: {
      subject: { type: 'user', id: '$token.sub' },
      action: ACTION,
      context: { agent: 'other' },
      evaluations: [{ resource: RESOURCE }, { resource: { type: 'team', id: '$params.arguments.target.team' } }],
    },
  };
  const asked = (await askedBy(mapping)) as readonly Evaluation[];
  assert.equal(
    asked.map(({ resource }) => resource),
    [
      { type: 'document', id: 'd1' },
      { type: 'team', id: 'red' },
    ],
  );
  assert.equal(asked[1]?.subject, { type: 'user', id: 'ann' });
  assert.equal(asked[1]?.context, { agent: 'other' });
});

test('another subject than the verified one is refused, whatever decides it', async () => {
  for (const id of ['$params.arguments.document', 'root', '$token.dept'])
    assert.is(
      await askedBy({ evaluation: { subject: { id }, action: ACTION, resource: RESOURCE } }),
      'mapping: subject.id is not the verified subject',
      id,
    );
});

test('what has no value, or a value of the wrong kind, is refused', async () => {
  const evaluation = { action: ACTION, resource: RESOURCE };
  assert.is(
    await askedBy({ evaluation: { ...evaluation, context: { a: '$token.missing' } } }),
    'mapping: evaluation.context.a: no such key: missing',
  );
  assert.is(
    await askedBy({ evaluation: { ...evaluation, context: ['$token.?missing'] } }),
    'mapping: evaluation.context[0]: an item of a list cannot be absent',
  );
  assert.is(
    await askedBy({ evaluation: { ...evaluation, context: '$token.dept' } }),
    'mapping: context is not an object',
  );
  assert.is(
    await askedBy({ evaluation: { action: ACTION, resource: { type: 'document', id: '$token.list' } } }, CALL, {
      ...ANN,
      list: ['d1'],
    }),
    'mapping: resource.id is missing, empty or no text',
  );
  assert.is(await askedBy({ evaluation: { action: ACTION } }), 'mapping: resource is missing or not an object');
});

test('arguments that violate the schema of the tool are refused before they are mapped', async () => {
  const mapping = { evaluation: { action: ACTION, resource: RESOURCE } };
  for (const [args, detail] of [
    [{ ...CALL, document: ['d1'] }, '/params/arguments/document: expected string, but got array'],
    [{ ...CALL, more: 1 }, "/params/arguments: additionalProperties 'more' not allowed"],
    [{ ...CALL, target: { team: 'green' } }, '/params/arguments/target/team: value must be one of "red", "blue"'],
  ] as const)
    assert.is(await askedBy(mapping, args), `mapping: ${detail}`);
});

test('an expression that costs more than a condition may is refused', async () => {
  const nested =
    '$params.arguments.tags.all(a, params.arguments.tags.all(b, params.arguments.tags.all(c, a + b != c)))';
  const mapping = {
    evaluation: { action: ACTION, resource: RESOURCE, context: { x: nested.replace('.tags', '.tags') } },
  };
  const guarded = JSON.parse(JSON.stringify(mapping).replaceAll('params.arguments.tags', 'token.tags')) as unknown;
  // Long texts cost much at once.
  const tags = Array.from({ length: 300 }, (_, index) => `${index}`.padEnd(20_000, 't'));
  assert.match(String(await askedBy(guarded, CALL, { ...ANN, tags })), /costs more than the limit/);
});

test('mistakes in mappings are found when the guard is made', () => {
  const evaluation = { action: ACTION, resource: RESOURCE };
  for (const [mapping, problem] of [
    [undefined, undefined],
    [{ evaluation }, undefined],
    [null, 'move : a mapping is an object with one key, `evaluation` or `evaluations`'],
    [{ evaluation, evaluations: {} }, 'move : a mapping is an object with one key, `evaluation` or `evaluations`'],
    [{ evaluation: [] }, 'move evaluation: it is an object'],
    [
      { evaluation: { ...evaluation, subjct: {} } },
      'move evaluation.subjct: an evaluation has subject, action, resource, context',
    ],
    [
      { evaluation: { ...evaluation, action: { nam: 'x' } } },
      'move evaluation.action.nam: action has name, properties',
    ],
    [{ evaluation: { ...evaluation, action: { name: 1 } } }, 'move evaluation.action.name: it is a text'],
    [
      { evaluations: { ...evaluation, evaluations: [] } },
      'move evaluations.evaluations: it is a list of 1 to 50 evaluations',
    ],
    [
      { evaluations: { ...evaluation, evaluations: [{ subject: { id: '$token.sub' } }] } },
      'move evaluations.evaluations[0].subject: the subject is that of all evaluations: move it beside `evaluations`',
    ],
    [
      {
        evaluations: { ...evaluation, options: { evaluations_semantic: 'permit_on_first_permit' }, evaluations: [{}] },
      },
      'move evaluations.options: every evaluation must be allowed: leave `evaluations_semantic` out',
    ],
  ] as const)
    assert.equal(problemsOf(mapping), problem === undefined ? [] : [problem]);
});

test('expressions are checked against the schema of the tool', () => {
  const evaluationWith = (context: string) => ({
    evaluation: { action: ACTION, resource: RESOURCE, context: { context } },
  });
  for (const [expression, problem] of [
    ['params.arguments.document', undefined],
    ['params.arguments.?amount', undefined],
    ['has(params.arguments.amount) ? params.arguments.amount : 0', undefined],
    ['token.anything.at.all', undefined],
    ['params.arguments.target.team == "red" // a comment', undefined],
    ['params.arguments.amount', '`params.arguments.amount` may be missing: the schema does not require it'],
    ['params.arguments.documnt', '`params.arguments.documnt` is never present: the schema does not allow it'],
    ['params.argumens', 'the schema does not list `params.argumens`'],
    ['params.arguments.target.team == "green"', /are never equal/],
    ['P.id', "undeclared reference to 'P' (in container '')"],
    ['R.attr.x', "undeclared reference to 'R' (in container '')"],
    ['params ? $params', /Syntax error/],
  ] as const) {
    const problems = problemsOf(evaluationWith(`$${expression}`));
    if (problem === undefined) assert.equal(problems, [], expression);
    else if (typeof problem === 'string') assert.equal(problems, [`move evaluation.context.context: ${problem}`]);
    else assert.match(problems.join(), problem);
  }
  for (const id of ['$params.arguments.target', '$params.arguments.?amount', '$1 + 1'])
    assert.match(
      problemsOf({ evaluation: { action: ACTION, resource: { type: 'document', id } } }).join(),
      /resource\.id: it is a text, and this expression never is one/,
    );
});

test.run();
