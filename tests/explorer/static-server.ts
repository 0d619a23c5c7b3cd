import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { explorerFiles } from '../../scripts/explorer-files.js';
import type { StartedServer } from './start-server.js';

const MEDIA_TYPES: { readonly [extension: string]: string } = {
  html: 'text/html; charset=utf-8',
  css: 'text/css',
  js: 'text/javascript',
  svg: 'image/svg+xml',
};

/** Serves the page as any web server would that knows nothing of it. */
export async function startStatic(): Promise<StartedServer> {
  const files = new Map((await explorerFiles()).files.map(({ path, contents }) => [`/${path}`, contents]));
  const server = createServer(({ url = '/' }, response) => {
    const path = url === '/' ? '/index.html' : url;
    const contents = files.get(path);
    response.writeHead(contents === undefined ? 404 : 200, {
      'Content-Type': MEDIA_TYPES[path.split('.').at(-1) ?? ''] ?? 'application/octet-stream',
    });
    response.end(contents);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
