import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ROOT } from '../support/compiled.js';
import { applicationOf, usagesIn } from './support.js';

const test = suite('applications');
const APPLICATIONS = join(ROOT, 'tests/usages/applications');

test('an application of Express, with routers in several files', async () => {
  assert.equal(await usagesIn(join(APPLICATIONS, 'shop')), {
    asks: [
      'order:?',
      'order:administer',
      'order:cancel',
      'order:items:add',
      'order:items:remove',
      'order:refnd',
      'order:view',
      'report:read',
      'reports:rebuild',
    ],
    routes: [
      'DELETE /admin/users/:id guarded',
      'DELETE /orders/:id guarded',
      'DELETE /orders/:id/items guarded',
      'GET /admin/users guarded',
      'GET /health public',
      'GET /orders/:id guarded',
      'GET /orders/:id/summary none',
      'GET /pages/about public',
      'GET /reports/names none',
      'GET /reports/sales guarded',
      'GET /stats none',
      'GET /version public',
      'POST /orders/:id/actions guarded',
      'POST /orders/:id/items guarded',
      'POST /orders/:id/refund guarded',
      'POST /reports/sales guarded',
    ],
    problems: [
      'src/admin.ts:10 usage/unknown-action: no rule for kind `order` names action `administer`: only `*` reaches it',
      'src/admin.ts:11 usage/unguarded-route: GET /stats reaches no decision',
      'src/orders.ts:27 usage/unguarded-route: GET /orders/:id/summary reaches no decision',
      'src/orders.ts:33 usage/unknown-action: no rule for kind `order` names action `refnd`: did you mean `refund`?',
      'src/orders.ts:37 usage/not-followed: the action is computed, and not followed',
      'src/reports.ts:15 usage/unknown-kind: no policy covers kind `reports`: did you mean `report`?',
      'src/reports.ts:7 usage/unguarded-route: GET /reports/names reaches no decision',
      'usage/unused-action: the application never asks for action `rebuild` on kind `report`',
    ],
  });
});

test('an application of Nest, with guards, decorators and services', async () => {
  assert.equal(await usagesIn(join(APPLICATIONS, 'clinic')), {
    asks: ['appointment:?', 'patient:dischrge', 'patient:list', 'patient:read', 'patient:update'],
    routes: [
      'DELETE /appointments/:id guarded',
      'GET /hours public',
      'GET /patients guarded',
      'GET /patients/:id guarded',
      'GET /patients/:id/history none',
      'PATCH /patients/:id guarded',
      'POST /appointments guarded',
      'POST /patients/:id/discharge guarded',
    ],
    problems: [
      'src/access.ts:26 usage/not-followed: the action is computed, and not followed',
      'src/patients.controller.ts:27 usage/unknown-action: no rule for kind `patient` names action `dischrge`: did you mean `discharge`?',
      'src/patients.controller.ts:33 usage/unguarded-route: GET /patients/:id/history reaches no decision',
      'usage/unused-action: the application never asks for action `discharge` on kind `patient`',
    ],
  });
});

test('an application of Next.js, with route handlers, server actions and components', async () => {
  assert.equal(await usagesIn(join(APPLICATIONS, 'notes')), {
    asks: ['note:delete', 'note:edit', 'note:publish', 'note:share', 'note:view', 'notes:view'],
    routes: [
      'ACTION deleteNote none',
      'ACTION saveNote guarded',
      'ALL /api/export none',
      'DELETE /api/notes/[id] none',
      'GET /api/health public',
      'GET /api/notes guarded',
      'GET /api/notes/[id] guarded',
    ],
    problems: [
      'src/actions.ts:10 usage/unguarded-route: ACTION deleteNote reaches no decision',
      'src/app/api/notes/[id]/route.ts:10 usage/unguarded-route: DELETE /api/notes/[id] reaches no decision',
      'src/app/api/notes/route.ts:5 usage/unknown-kind: no policy covers kind `notes`: did you mean `note`?',
      'src/components/buttons.tsx:11 usage/unknown-action: no rule for kind `note` names action `publish`',
      'src/pages/api/export.ts:1 usage/unguarded-route: ALL /api/export reaches no decision',
      'usage/unused-action: the application never asks for action `archive` on kind `note`',
    ],
  });
});

test('the templates of `authzc init`, and the example API', async () => {
  // As init composes them: the sample beside the files of one template.
  const templates = join(ROOT, 'examples/templates');
  const application = applicationOf({
    'tsconfig.json': '{"extends": "./express/tsconfig.json", "include": ["*/src"]}',
  });
  try {
    for (const name of ['express', 'fastify', 'hono', 'next', 'ts', 'workers']) {
      const folder = join(application.folder, name);
      cpSync(join(templates, 'project/tsconfig.json'), join(folder, 'tsconfig.json'));
      for (const part of ['sample', 'modules', name])
        cpSync(join(templates, part, 'src'), join(folder, 'src'), { recursive: true });
    }
    const { asks, routes, problems } = await usagesIn(
      application.folder,
      join(templates, 'document-policies/policies'),
    );
    assert.equal(asks, ['document:delete', 'document:view']);
    const guarded = ['DELETE /documents/:id guarded', 'GET /documents guarded', 'GET /documents/:id guarded'];
    const next = ['DELETE /documents/[id] guarded', 'GET /documents guarded', 'GET /documents/[id] guarded'];
    assert.equal(routes, [...guarded, ...guarded, ...guarded, ...next].sort());
    assert.equal(problems, [
      'usage/unused-action: the application never asks for action `create` on kind `document`',
      'usage/unused-action: the application never asks for action `edit` on kind `document`',
    ]);
  } finally {
    application.remove();
  }
  const api = await usagesIn(join(ROOT, 'examples/contact-api'));
  assert.equal(api, {
    asks: ['contact:create', 'contact:delete', 'contact:list', 'contact:read', 'contact:update'],
    routes: [
      'DELETE /contacts/:id guarded',
      'GET /contacts guarded',
      'GET /contacts/:id guarded',
      'PATCH /contacts/:id guarded',
      'POST /contacts/new guarded',
    ],
    problems: [],
  });
});

test.run();
