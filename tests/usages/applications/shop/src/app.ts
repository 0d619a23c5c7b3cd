import express from 'express';
import { client, userOf } from './access.js';
import { adminRoutes } from './admin.js';
import orders from './orders.js';
import { reportRoutes } from './reports.js';

export const app = express();

app.use(express.json());
app.use((request, response, next) => {
  // For templates: it asks only if one calls it.
  response.locals['may'] = (action: 'view', id: string) =>
    client.isAllowed({ principal: userOf(request) as never, resource: { kind: 'order', id }, action });
  next();
});

// authz: public - the load balancer calls it
app.get('/health', (_, response) => {
  response.send('ok');
});
app.get('/version', (_, response) => void response.send('1.0.0')); // authz: public

app.use('/orders', orders);
app.use('/reports', reportRoutes());
adminRoutes(app);

// authz: public
app.use('/pages', express.Router().get('/about', (_, response) => void response.send('about')));
