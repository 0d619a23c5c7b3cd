import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { compileTexts, loaded } from '../../tests/support/compiled.js';
import type { CompiledBundle } from '../../runtime/engine/index.js';
import { loadConfig } from '../config.js';
import { makeEngine } from './serving-engine.js';

test('a bundle is tried with names that its rules repeat, and with those of the trial', async () => {
  const { policies, traced } = await loaded(
    compileTexts({
      'album.yaml': `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: album
  version: default
  rules:
    - {actions: [view, edit], effect: EFFECT_ALLOW, roles: [editor, trial]}
    - {actions: [view, trial], effect: EFFECT_ALLOW, roles: [viewer, editor]}
`,
    }),
  );
  const { engine } = await makeEngine(loadConfig({ environment: {} }).config, {
    policies: policies as CompiledBundle,
    traced,
  });
  const principal = { id: 'ann', roles: ['viewer'] };
  assert.ok(engine.isAllowed({ principal, resource: { kind: 'album', id: 'a1' }, action: 'view' }));
});

test.run();
