import { serve } from '@hono/node-server';
import { app } from './app.ts';

serve({ fetch: app.fetch, port: Number(process.env['PORT'] ?? 3000) }, ({ port }) => {
  console.log(`listening on http://localhost:${port}`);
  console.log(`try: curl -H 'x-user: alice' http://localhost:${port}/documents`);
});
