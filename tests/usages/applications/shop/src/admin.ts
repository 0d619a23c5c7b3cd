import { type Express, Router } from 'express';
import { guard } from './access.js';

const admin = Router();
admin.get('/users', (_, response) => void response.json([]));
admin.delete('/users/:id', (_, response) => void response.sendStatus(204));

/** Adds what only administrators may do. No policy names `administer`: a rule for `*` allows it. */
export function adminRoutes(app: Express): void {
  app.use('/admin', guard({ action: 'administer', resource: { kind: 'order', id: 'all' } }), admin);
  app.get('/stats', (_, response) => void response.json({}));
}
