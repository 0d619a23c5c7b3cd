import express, { type Router } from 'express';
import { may, requireReports, userOf } from './access.js';

/** The reports. The list of their names is open. */
export function reportRoutes(): Router {
  const router = express.Router();
  router.get('/names', (_, response) => {
    response.json(['sales']);
  });
  router.use(requireReports('read'));
  router.get('/sales', (_, response) => {
    response.json([]);
  });
  router.post('/sales', async (request, response) => {
    const isAllowed = await may(userOf(request), 'rebuild', { kind: 'reports', id: 'sales' });
    response.sendStatus(isAllowed ? 202 : 403);
  });
  return router;
}
