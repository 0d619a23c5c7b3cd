import { Session } from 'node:inspector';
import { fileURLToPath } from 'node:url';

/*
 * Runs a program of one kind, and writes which modules of this repository were loaded: everything is imported by what runs,
 * so that nothing else is among them.
 */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const loaded = new Set<string>();
const session = new Session();
session.connect();
session.on('Debugger.scriptParsed', ({ params: { url } }) => {
  if (!url.startsWith('file:')) return;
  const path = fileURLToPath(url.replace(/\?.*/, ''));
  if (path.startsWith(ROOT) && !path.includes('node_modules')) loaded.add(path.slice(ROOT.length));
});
session.post('Debugger.enable');

await run(process.argv[2]);
process.stdout.write(JSON.stringify([...loaded]));

async function run(kind: string | undefined): Promise<void> {
  const { policies } = await import('../../generated/index.js');
  if (kind === 'server' || kind === 'server with sources') {
    const { loadConfig } = await import('../../server/config.js');
    const { startServer } = await import('../../server/main.js');
    const sets = ['server.httpListenAddr=127.0.0.1:0', 'server.grpcListenAddr=127.0.0.1:0', 'server.shutdownGrace=0s'];
    if (kind !== 'server')
      sets.push(
        'sources.from.albums.of=album',
        'sources.from.albums.provides.owner=string',
        'sources.from.albums.http.url=https://albums.test/?ids={ids}',
      );
    const { config } = loadConfig({ sets, environment: {} });
    try {
      const server = await startServer(config, { policies } as never);
      const headers = { 'content-type': 'application/json' };
      const asked = { actions: ['view'], resource: { kind: 'album', id: '1', attr: { owner: 'ann' } } };
      const body = JSON.stringify({ principal: { id: 'ann', roles: ['user'] }, resources: [asked] });
      const url = `http://${server.httpAddress}/api/check/resources`;
      const answer = await fetch(url, { method: 'POST', headers, body });
      if (!(await answer.text()).includes('EFFECT_ALLOW')) throw new Error('the check was not answered');
      await server.close();
    } catch (error) {
      // These policies cannot be decided while facts are unknown.
      if (kind === 'server' || !String(error).includes('--facts')) throw error;
    }
    return;
  }
  const { createEngine } = await import('../../runtime/engine/index.js');
  const engine = createEngine(policies);
  const request = { principal: { id: 'ann', roles: ['user'] }, resource: { kind: 'album', id: '1' }, action: 'view' };
  engine.isAllowed(request as never);
  engine.plan({ principal: request.principal, resource: request.resource, actions: ['view'] } as never);
  if (kind === 'application with facts') await import('../../runtime/facts/index.js');
}
