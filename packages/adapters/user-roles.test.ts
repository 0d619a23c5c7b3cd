import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { listRoles } from './user-roles.js';

const test = suite('roles of users in rows');

const LIST = { column: 'roles', type: 'list' } as const;

test('only the text of MariaDB is read as a list: a string in JSON is none to the query, either', () => {
  for (const dialect of ['postgresql', 'sqlite', 'mysql'] as const) {
    assert.equal(listRoles(['admin'], LIST, dialect), ['admin'], dialect);
    assert.equal(listRoles(null, LIST, dialect), [], dialect);
    assert.equal(listRoles('admin', { column: 'role', type: 'text' }, dialect), ['admin'], dialect);
  }
  assert.equal(listRoles('["admin"]', LIST, 'mysql'), ['admin']);
  assert.equal(listRoles('["admin"]', LIST, 'postgresql'), []);
  assert.equal(listRoles('["admin"]', LIST, 'sqlite'), []);
});

test.run();
