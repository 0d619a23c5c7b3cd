import { fileURLToPath } from 'node:url';
import {
  create,
  createFileRegistry,
  type DescMessage,
  type FileRegistry,
  fromBinary,
  fromJson,
  type JsonObject,
  type Message,
  setExtension,
} from '@bufbuild/protobuf';
import {
  FieldOptionsSchema,
  type FileDescriptorSet,
  FileDescriptorSetSchema,
  MessageOptionsSchema,
  OneofOptionsSchema,
} from '@bufbuild/protobuf/wkt';
import { buildSync } from 'esbuild';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { descriptorSet } from '../gen/descriptors.js';
import { NONE, type Violations } from '../wire/violation.js';
import { validators } from './validate.js';

const descriptors = (): FileDescriptorSet => fromBinary(FileDescriptorSetSchema, Buffer.from(descriptorSet, 'base64'));
const committed = createFileRegistry(descriptors());

/**
 * The module with one annotation replaced. `place` is a message, or a field or oneof of it; bytes in hexadecimal are
 * rules of the published definition that ours lacks.
 */
function annotated(option: 'field' | 'oneof' | 'message', place: string, rules: JsonObject | string): FileRegistry {
  const set = descriptors();
  const [typeName, member = ''] = place.split('#');
  const message = set.file
    .flatMap((file) => file.messageType.map((one) => [`${file.package}.${one.name}`, one] as const))
    .find(([name]) => name === typeName)?.[1];
  const extension = committed.getExtension(`buf.validate.${option}`);
  if (message === undefined || extension === undefined) throw new Error(`no ${place}`);
  const field = message.field.find(({ name }) => name === member);
  const oneof = message.oneofDecl.find(({ name }) => name === member);
  if (field !== undefined) field.options ??= create(FieldOptionsSchema);
  if (oneof !== undefined) oneof.options ??= create(OneofOptionsSchema);
  if (member === '') message.options ??= create(MessageOptionsSchema);
  const options: Message | undefined = field?.options ?? oneof?.options ?? message.options;
  if (options === undefined) throw new Error(`no ${place}`);
  const type = extension.message as DescMessage;
  setExtension(
    options,
    extension,
    typeof rules === 'string' ? fromBinary(type, Buffer.from(rules, 'hex')) : fromJson(type, rules),
  );
  return createFileRegistry(set);
}

const LISTING = 'authz.request.v1.ListAuditLogEntriesRequest';

test('all annotations in use have an emitter', () => {
  assert.equal([...validators(committed).keys()].sort(), ['authorization', 'engine', 'request']);
});

test('an annotation without an emitter is an error on any element', () => {
  const cases: readonly (readonly ['field' | 'message', string, JsonObject | string, RegExp])[] = [
    ['field', `${LISTING}#lookup`, { string: { minLen: '1' } }, /no code for the rule minLen = "1" of .*\.lookup/],
    ['field', `${LISTING}#lookup`, { string: { maxLen: '9' } }, /maxLen/],
    ['field', `${LISTING}#lookup`, { required: true }, /no code for the rules/],
    ['field', `${LISTING}#lookup`, { uint32: { gte: 1, lte: 2 } }, /no code for the rules/],
    ['field', `${LISTING}#tail`, { uint32: { gte: 1 } }, /from one to another/],
    ['field', `${LISTING}#tail`, { uint32: { gte: 2, lte: 1 } }, /from one to another/],
    ['field', `${LISTING}#tail`, { string: { pattern: 'a' } }, /no code for the rules/],
    ['field', `${LISTING}#since`, { timestamp: { ltNow: true } }, /no code for the rules/],
    ['field', `${LISTING}#kind`, { enum: { in: [7] } }, /does not have/],
    [
      'field',
      'authz.request.v1.CheckResourcesRequest#resources',
      { repeated: { unique: true } },
      /no code for the rules/,
    ],
    ['field', 'authz.engine.v1.Principal#attr', { map: { keys: { string: { minLen: '2' } } } }, /minLen = "2"/],
    ['field', 'authz.engine.v1.Principal#attr', { map: { values: { required: true } } }, /values/],
    [
      'field',
      'authzen.authorization.v1.AccessEvaluationResponse#decision',
      { required: true },
      /no code for the rules/,
    ],
    [
      'message',
      LISTING,
      { cel: [{ id: 'a', message: 'b', expression: 'this.lookup.startsWith("a")' }] },
      /no code for/,
    ],
    ['message', LISTING, { cel: [{ id: 'a', message: 'b', expression: 'this.' }] }, /ListAuditLogEntriesRequest/],
  ];
  for (const [option, place, rules, message] of cases)
    assert.throws(
      () => validators(annotated(option, place, rules)),
      (error: Error) => message.test(error.message),
      `${place} ${JSON.stringify(rules)}`,
    );
});

test('an unknown definition of the module is an error', () => {
  const cases: readonly (readonly ['field' | 'oneof' | 'message', string, string, string])[] = [
    ['field', `${LISTING}#lookup`, '72026001', 'string.email'],
    ['field', `${LISTING}#lookup`, '72022001', 'string.min_bytes'],
    ['field', `${LISTING}#lookup`, 'd80103', 'ignore'],
    ['field', `${LISTING}#lookup`, 'ba0100', 'cel'],
    ['field', `${LISTING}#tail`, '2a022001', 'uint32.gt'],
    ['field', `${LISTING}#since`, 'aa0100', 'duration'],
    ['field', `${LISTING}#kind`, '8201022001', 'enum.not_in'],
    ['field', 'authz.engine.v1.Principal#attr', '9a01020801', 'map.min_pairs'],
    ['oneof', `${LISTING}#filter`, '1001', 'a rule of a oneof'],
    ['message', LISTING, '2200', 'oneof'],
  ];
  for (const [option, place, bytes, name] of cases)
    assert.throws(
      () => validators(annotated(option, place, bytes)),
      (error: Error) => error.message.endsWith('has a rule that buf/validate/validate.proto does not define'),
      name,
    );
});

test('it is an error even in messages that no request contains', () => {
  assert.throws(
    () => validators(annotated('field', 'authz.request.v1.ReloadStoreRequest#wait', { required: true })),
    /ReloadStoreRequest\.wait/,
  );
  assert.throws(
    () => validators(annotated('field', 'authz.response.v1.CheckResourcesResponse#request_id', '72026001')),
    /CheckResourcesResponse\.request_id/,
  );
  assert.throws(
    () =>
      validators(
        annotated('message', 'authz.response.v1.CheckResourcesResponse', {
          cel: [{ id: 'a', message: 'b', expression: 'size(this.nothing) == 0' }],
        }),
      ),
    /nothing/,
  );
});

/** The generated functions of a file of some module, run. */
async function generated(
  registry: FileRegistry,
  file: string,
  message: string,
): Promise<{ readonly [name: string]: (message: unknown, now?: number) => Violations }> {
  const contents = validators(registry, [message]).get(file) ?? '';
  const resolveDir = fileURLToPath(new URL('../gen/validate/', import.meta.url));
  const { outputFiles } = buildSync({
    stdin: { contents, resolveDir, loader: 'ts' },
    bundle: true,
    write: false,
    format: 'esm',
    logLevel: 'silent',
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0]?.contents ?? []).toString('base64')}`);
}

const texts = ({ first }: Violations): readonly string[] =>
  first.map(
    ({ field, ruleId, message }) =>
      `${field?.elements.map(({ fieldName, index }) => fieldName + (index === undefined ? '' : `[${index}]`)).join('.')} ${ruleId} ${message}`,
  );

test('items have a maximum length in code points', async () => {
  const functions = await generated(committed, 'request', 'authz.request.v1.GetSchemaRequest');
  const violations = (id: readonly string[]) => texts(functions['getSchemaRequestViolations']?.({ id }) ?? NONE);
  assert.equal(violations(['a'.repeat(255), '🔑'.repeat(255)]), []);
  assert.equal(violations([]), ['id required value is required']);
  assert.equal(violations(['a'.repeat(256), '', '🔑'.repeat(256), 'b'.repeat(1000)]), [
    'id[1] string.min_len must be at least 1 characters',
    'id[0] string.max_len must be at most 255 characters',
    'id[2] string.max_len must be at most 255 characters',
    'id[3] string.max_len must be at most 255 characters',
  ]);
});

test('an optional oneof may be empty, and the rules of its set field apply', async () => {
  const functions = await generated(annotated('oneof', `${LISTING}#filter`, {}), 'request', LISTING);
  const violations = (filter: unknown) =>
    texts(functions['listAuditLogEntriesRequestViolations']?.({ kind: 1, filter }, 0) ?? NONE);
  assert.equal(violations(undefined), []);
  assert.equal(violations({ by: 'tail', value: 1 }), []);
  assert.equal(violations({ by: 'tail', value: 0 }), [
    'tail uint32.gte_lte must be greater than or equal to 1 and less than or equal to 1000',
  ]);
});

test('an optional timestamp may be absent', async () => {
  const functions = await generated(
    annotated('field', 'authz.audit.v1.AccessLogEntry#timestamp', { timestamp: { ltNow: true } }),
    'audit',
    'authz.audit.v1.AccessLogEntry',
  );
  const violations = (timestamp: unknown) =>
    texts(functions['accessLogEntryViolations']?.({ timestamp }, 1000) ?? NONE);
  assert.equal(violations(undefined), []);
  assert.equal(violations({ seconds: 0, nanos: 999_999_999 }), []);
  assert.equal(violations({ seconds: 1, nanos: 0 }), ['timestamp timestamp.lt_now must be less than now']);
});

test('an empty required field has no other violation', async () => {
  const registry = annotated('field', 'authz.schema.v1.Schema#id', { required: true, string: { pattern: '^a$' } });
  const functions = await generated(registry, 'schema', 'authz.schema.v1.Schema');
  const violations = (id: string) => texts(functions['schemaViolations']?.({ id }) ?? NONE);
  assert.equal(violations('a'), []);
  assert.equal(violations(''), ['id required value is required']);
  assert.equal(violations('b'), ['id string.pattern does not match regex pattern `^a$`']);
});

test.run();
