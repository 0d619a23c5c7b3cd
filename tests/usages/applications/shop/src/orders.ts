import { Router, type Request } from 'express';
import { may, OrderAction, orderGuard, userOf } from './access.js';
import { findOrder } from './data.js';

const orders = Router();

type ItemAction = `items:${'add' | 'remove'}`;

orders.get('/:id', orderGuard(OrderAction.View), async (request, response) => {
  response.json(await findOrder(String(request.params['id'])));
});

orders.delete('/:id', orderGuard(OrderAction.Cancel), (_, response) => {
  response.sendStatus(204);
});

orders
  .route('/:id/items')
  .post(async (request, response) => {
    response.sendStatus((await mayChange(request, 'items:add')) ? 201 : 403);
  })
  .delete(async (request, response) => {
    response.sendStatus((await mayChange(request, 'items:remove')) ? 204 : 403);
  });

// Everybody may read what everybody knows, and nobody noticed that the totals are there, too.
orders.get('/:id/summary', async (request, response) => {
  const { total } = await findOrder(String(request.params['id']));
  response.json({ total });
});

orders.post('/:id/refund', async (request, response) => {
  const isAllowed = await may(userOf(request), 'refnd', { kind: 'order', id: String(request.params['id']) });
  response.sendStatus(isAllowed ? 202 : 403);
});

orders.post('/:id/actions', async (request, response) => {
  const isAllowed = await may(userOf(request), request.body.action, { kind: 'order', id: String(request.params['id']) });
  response.sendStatus(isAllowed ? 202 : 403);
});

const mayChange = (request: Request, action: ItemAction) =>
  may(userOf(request), action, { kind: 'order', id: String(request.params['id']) });

export default orders;
