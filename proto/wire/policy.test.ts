import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { fromBinary, fromJson, type JsonValue, toJson } from '@bufbuild/protobuf';
import { GetPolicyResponseSchema } from '@cerbos/api/cerbos/response/v1/response_pb';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import { Source } from '../../compiler/diagnostics/source.js';
import { policyMessage } from '../../compiler/inspect/policy-message.js';
import { parse } from '../../compiler/parse/index.js';
import type { Policy } from '../gen/policy-messages.js';
import { encodeGetPolicyResponse } from '../gen/wire/policy.js';
import { WireWriter } from './writer.js';

const FOLDERS = ['policies', 'examples', 'tests/golden', 'tests/diagnostics'];

/** Every policy of the repository that parses; only those of role policies with fields of our own are left out. */
const messages = FOLDERS.flatMap(policiesIn).filter(
  (message) => !/"rolePolicy":.*"(?:variables|constants|output|name)":/.test(JSON.stringify(message)),
);

test('policies are the JSON form of the published message', () => {
  for (const message of messages) {
    const json = { policies: [message] } as JsonValue;
    assert.equal(toJson(GetPolicyResponseSchema, fromJson(GetPolicyResponseSchema, json)), json);
  }
  assert.ok(messages.length > 100, `${messages.length} policies`);
});

test('the encoding of a policy is that of the published message', () => {
  const writer = new WireWriter();
  for (const message of messages) {
    const bytes = encodeGetPolicyResponse({ policies: [message as Policy] }, writer);
    assert.equal(toJson(GetPolicyResponseSchema, fromBinary(GetPolicyResponseSchema, bytes)), { policies: [message] });
  }
});

test.run();

function policiesIn(folder: string): readonly object[] {
  const root = fileURLToPath(new URL(`../../${folder}/`, import.meta.url));
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.yaml'));
  return files.flatMap((file) => {
    const parsed = parse(new Source(file, readFileSync(root + file, 'utf8')), new Diagnostics());
    return (parsed && (policyMessage(parsed) as object | undefined)) ?? [];
  });
}
