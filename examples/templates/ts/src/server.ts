import type { AddressInfo } from 'node:net';
import { app } from './app.ts';

app.listen(Number(process.env['PORT'] ?? 3000), () => {
  const { port } = app.address() as AddressInfo;
  console.log(`listening on http://localhost:${port}`);
  console.log(`try: curl -H 'x-user: alice' http://localhost:${port}/documents`);
});
