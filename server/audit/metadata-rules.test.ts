import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sampleCall } from '../../tests/support/audit/samples.js';
import { metadataRules } from './metadata-rules.js';

const listNames = (include: readonly string[], exclude: readonly string[]): readonly string[] | undefined => {
  const logged = metadataRules(include, exclude).logged(sampleCall().metadata);
  return logged === undefined ? undefined : Object.keys(logged);
};

test('without a list no metadata is logged or read', () => {
  const rules = metadataRules([], []);
  assert.is(
    rules.logged(() => {
      throw new Error('asked');
    }),
    undefined,
  );
});

test('include alone: those keys, case-insensitive', () => {
  assert.equal(listNames(['X-Tenant', 'missing'], []), ['x-tenant']);
});

test('exclude alone: all other keys', () => {
  assert.equal(listNames([], ['USER-AGENT']), ['x-tenant']);
});

test('both: included and not excluded', () => {
  assert.equal(listNames(['x-tenant', 'user-agent'], ['User-Agent']), ['x-tenant']);
});

test('credentials are never logged, even when listed', () => {
  assert.is(listNames(['authorization', 'Authorization', 'cookie', 'grpc-trace-bin'], []), undefined);
});

test('all values of a key are logged', () => {
  assert.equal(metadataRules(['x-tenant'], []).logged(sampleCall().metadata), {
    'x-tenant': { values: ['acme', 'umbrella'] },
  });
});

test.run();
