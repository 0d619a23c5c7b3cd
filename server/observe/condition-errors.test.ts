import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Call } from '../service/call.js';
import type { Checked, Planned } from '../service/watcher.js';
import { ConditionErrorSearch, type FindConditionErrors } from './condition-errors.js';
import type { Logger } from './log/logger.js';

const ERROR = { expression: 'R.attr.x > 1', message: 'no such key: x' };

test('a call is explained after its reply, and failures are logged with its call id', async () => {
  const told: unknown[] = [];
  const search = new ConditionErrorSearch(() => [ERROR], [(call, errors) => told.push([call.id, errors])], LOGGER);
  search.checked(CALL, CHECKED);
  assert.equal(told, []);
  await new Promise(setImmediate);
  assert.equal(told, [['ID', [ERROR]]]);
  assert.equal([search.examined, search.skipped, search.found], [1, 0, 1]);
});

test('a plan is explained with all its actions', async () => {
  const asked: unknown[] = [];
  const find: FindConditionErrors = (request) => {
    asked.push('actions' in request && request.actions);
    return [];
  };
  const search = new ConditionErrorSearch(find, [], LOGGER, () => 0);
  search.planned(CALL, { request: { action: 'view', actions: [] }, auxData: {} } as unknown as Planned);
  search.planned(CALL, { request: { action: '', actions: ['a', 'b'] }, auxData: {} } as unknown as Planned);
  await new Promise(setImmediate);
  assert.equal(asked, [['view'], ['a', 'b']]);
});

test('when explaining takes too much CPU, calls are skipped and counted', async () => {
  let time = 0;
  const busy: FindConditionErrors = () => {
    time += 5;
    return [];
  };
  const search = new ConditionErrorSearch(busy, [], LOGGER, () => time);
  const ask = async (calls: number): Promise<void> => {
    for (let index = 0; index < calls; index++) {
      search.checked(CALL, CHECKED);
      await new Promise(setImmediate);
    }
  };
  // The budget is 2 ms. What is beyond it is paid by 1 % of the time.
  await ask(100);
  assert.equal([search.examined, search.skipped], [1, 99]);
  time += 290;
  await ask(1);
  assert.equal([search.examined, search.skipped], [1, 100]);
  time += 10;
  await ask(2);
  assert.equal([search.examined, search.skipped], [2, 101]);
});

test('an exception while explaining is logged as an error, and has no other effect', async () => {
  const lines: string[] = [];
  const search = new ConditionErrorSearch(
    () => {
      throw new Error('bug');
    },
    [],
    { ...LOGGER, error: (message) => void lines.push(message) },
  );
  search.checked(CALL, CHECKED);
  await new Promise(setImmediate);
  assert.is(lines.length, 1);
});

test.run();

const CALL = { id: 'ID' } as Call;
const CHECKED = { principal: {}, resources: [], auxData: {} } as unknown as Checked;
const LOGGER = {} as Logger;
