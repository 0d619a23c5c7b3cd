import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { policies } from '../../generated/index.js';
import { policyNames } from './policy-names.js';

test('the names of policies are listed by kind, sorted, without globs', () => {
  const names = policyNames(policies);
  assert.equal(
    names.map(({ kind }) => kind),
    ['album', 'contact', 'leave_request'],
  );
  assert.equal(names[0], {
    kind: 'album',
    actions: ['delete', 'edit', 'view'],
    roles: ['curator', 'user'],
    policyVersions: ['default'],
    scopes: [''],
  });
});

test('policies of one kind are one entry, and their number is limited', () => {
  const [album] = policies.resourcePolicies;
  assert.ok(album !== undefined);
  const scoped = policyNames({ resourcePolicies: [album, { ...album, scope: 'acme', version: 'v2' }] });
  assert.equal(scoped.length, 1);
  assert.equal(scoped[0]?.scopes, ['', 'acme']);
  assert.equal(scoped[0]?.policyVersions, ['default', 'v2']);
  const many = Array.from({ length: 3000 }, (_, index) => ({ ...album, kind: `kind${index}` }));
  assert.is(policyNames({ resourcePolicies: many }).length, 2000);
});

test('the example of a kind has attributes by its schema, where its text is known', () => {
  const [album] = policies.resourcePolicies;
  assert.ok(album !== undefined);
  const resource = { ref: 'authz:///media/album.json', ignores: () => false, violations: () => [] };
  const texts = [
    ['album.yaml', 'text'],
    ['_schemas/media/album.json', '{"properties": {"owner": {"type": "string"}}}'],
  ] as const;
  const withSchema = { resourcePolicies: [{ ...album, schemas: { resource } }] };
  assert.equal(policyNames(withSchema, texts)[0]?.attr, { owner: '' });
  assert.is(policyNames(withSchema)[0]?.attr, undefined);
});

test.run();
