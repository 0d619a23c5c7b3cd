import { createFileRegistry, type DescField, type DescMessage, fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { file_cerbos_audit_v1_audit as audit } from '@cerbos/api/cerbos/audit/v1/audit_pb';
import { file_cerbos_engine_v1_engine as engine } from '@cerbos/api/cerbos/engine/v1/engine_pb';
import { file_cerbos_policy_v1_policy as policy } from '@cerbos/api/cerbos/policy/v1/policy_pb';
import { file_cerbos_request_v1_request as request } from '@cerbos/api/cerbos/request/v1/request_pb';
import { file_cerbos_response_v1_response as response } from '@cerbos/api/cerbos/response/v1/response_pb';
import { file_cerbos_schema_v1_schema as schema } from '@cerbos/api/cerbos/schema/v1/schema_pb';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { descriptorSet } from './gen/descriptors.js';

const ours = createFileRegistry(fromBinary(FileDescriptorSetSchema, Buffer.from(descriptorSet, 'base64')));
const published = [audit, engine, policy, request, response, schema].flatMap(({ messages }) =>
  messages.flatMap(withNested),
);

/** Messages of the same fields, which stand in another file here. */
const MOVED: ReadonlyMap<string, string> = new Map([
  ['audit.v1.RequestContext', 'request.v1.RequestContext'],
  ['google.protobuf.Empty', 'response.v1.AddOrUpdatePolicyResponse.Success'],
]);

/** Fields that no answer has. */
const RESERVED = new Set(['policy.v1.Metadata.hash']);

/** Only a server that has policies of this kind sends them. */
const OTHER_STORES = /^audit\.v1\.PolicySource\.(?:Blob|Database|Disk|Git|Hub)$/;

/** Fields of the reference's current version, which its published package does not have yet. */
const NEWER = new Set([
  'engine.v1.AuxData.jwts',
  'engine.v1.CheckOutput.evaluation_errors',
  'engine.v1.OutputEntry.error',
  'engine.v1.PlanResourcesOutput.evaluation_errors',
  'request.v1.AuxData.jwts',
]);

test('every message has the published fields, and additions above 99', () => {
  let compared = 0;
  for (const message of published) {
    const mine = ours.getMessage(`authz.${movedName(message)}`);
    if (mine === undefined) continue;
    compared += 1;
    const fields = new Map(mine.fields.map((field) => [field.number, field]));
    for (const field of message.fields) {
      if (field.message !== undefined && OTHER_STORES.test(readName(field.message))) continue;
      if (RESERVED.has(`${readName(message)}.${field.name}`)) continue;
      assert.is(shape(fields.get(field.number)), shape(field), `${readName(message)}.${field.name}`);
      fields.delete(field.number);
    }
    const additions = [...fields.values()].filter(
      ({ name, number }) => number < 100 && !NEWER.has(`${readName(message)}.${name}`),
    );
    assert.equal(
      additions.map(({ name }) => name),
      [],
      readName(message),
    );
  }
  assert.ok(compared > 60, `${compared} messages were compared`);
});

test('all messages of served RPCs and audit entries are present', () => {
  for (const name of [
    'audit.v1.AccessLogEntry',
    'audit.v1.DecisionLogEntry',
    'audit.v1.PolicySource.EmbeddedPDP',
    'engine.v1.PlanResourcesInput.Resource',
    'request.v1.PlanResourcesRequest',
    'response.v1.CheckResourcesResponse',
  ]) {
    assert.ok(ours.getMessage(`authz.${name}`), name);
    assert.ok(
      published.some((message) => readName(message) === name),
      name,
    );
  }
});

test.run();

function withNested(message: DescMessage): readonly DescMessage[] {
  return [message, ...message.nestedMessages.flatMap(withNested)];
}

/** Without the package of the product. */
function readName({ typeName }: { readonly typeName: string }): string {
  return typeName.replace(/^(?:cerbos|authz)\./, '');
}

function movedName(message: { readonly typeName: string }): string {
  const name = readName(message);
  return MOVED.get(name) ?? name;
}

/** What decides how a field is encoded and what it is called. */
function shape(field: DescField | undefined): string {
  if (field === undefined) return 'missing';
  const value =
    'scalar' in field && field.scalar !== undefined ? `scalar ${field.scalar}` : (field.message ?? field.enum);
  const kind = field.fieldKind === 'list' ? 'list of' : field.fieldKind === 'map' ? `map from ${field.mapKey} to` : '';
  return `${field.number} ${field.name.replace('cerbos', 'authz')}: ${kind} ${typeof value === 'string' ? value : value && movedName(value)}`;
}
