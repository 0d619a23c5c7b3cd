import 'reflect-metadata';
import type { Server } from 'node:http';
import { Controller, Delete, type ExecutionContext, Get, HttpException, Module, UseGuards } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Request } from 'express';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AuthzError, inProcessClient, restClient } from '../../packages/client/index.js';
import { policies } from '../../generated/index.js';
import { AuthzDecision, type Decision, nestGuard } from '../../packages/middleware/nest.js';
import { type Application, type Policies, reportOf, testContract } from './contract.js';
import { listening } from './listening.js';

type AlbumDecision = Decision<Policies, 'album', 'view' | 'edit' | 'delete'>;

testContract('Nest', async ({ decider, principalOf, albumOf, onNoAnswer, handled }) => {
  const guard = nestGuard<Policies>({
    ...decider,
    principal: (context) => principalOf(requestOf(context).get('x-user')),
    onNoAnswer,
  });
  const albumIn = (context: ExecutionContext) => albumOf(String(requestOf(context).params['id']));

  class Albums {
    read(decision: AlbumDecision): object {
      handled();
      return reportOf(decision);
    }

    remove(decision: AlbumDecision): object {
      handled();
      return { deleted: decision.allowed.delete };
    }
  }
  decorate(Albums, 'read', [
    Get(':id'),
    UseGuards(guard({ action: 'view', also: ['edit', 'delete'], resource: albumIn })),
  ]);
  decorate(Albums, 'remove', [
    Delete(':id'),
    UseGuards(guard({ action: 'delete', hiddenWithout: 'view', resource: albumIn })),
  ]);
  Controller('albums')(Albums);
  return open(Albums);
});

const test = suite('guards for Nest: what only they have');

const album = { kind: 'album', id: '1', attr: { owner: 'anna', visibility: 'public', status: 'OPEN' } } as const;
const principal = () => ({ id: 'bob', roles: ['user'] });

test('views find the decision', async () => {
  const guard = nestGuard<Policies>({ client: inProcessClient<Policies>(policies), principal });
  const response: { locals: { authz?: AlbumDecision } } = { locals: {} };
  await guard({ action: 'view', also: ['edit'], resource: album }).canActivate(contextOf({}, response));
  assert.equal(response.locals.authz?.allowed, { view: true, edit: false });
});

test('exceptions of refusals have the error of the client as their cause', async () => {
  const client = restClient<Policies>({ url: 'http://127.0.0.1:9' });
  const guard = nestGuard<Policies>({ client, principal });
  try {
    await guard({ action: 'view', resource: album }).canActivate(contextOf({}, { header: () => undefined }));
    assert.unreachable();
  } catch (error) {
    assert.instance(error, HttpException);
    assert.is((error as HttpException).getStatus(), 503);
    assert.instance((error as HttpException).cause, AuthzError);
  }
  await client.close();
});

test.run();

/** What `@decorator` in front of a method, and `@AuthzDecision()` in front of its parameter, compile to. */
function decorate(target: abstract new () => object, method: string, decorators: readonly MethodDecorator[]): void {
  const { prototype } = target as { readonly prototype: object };
  const descriptor = Object.getOwnPropertyDescriptor(prototype, method) ?? {};
  for (const decorator of decorators) decorator(prototype, method, descriptor);
  AuthzDecision()(prototype, method, 0);
}

function requestOf(context: ExecutionContext): Request {
  return context.switchToHttp().getRequest<Request>();
}

function contextOf(request: object, response: object): ExecutionContext {
  const http = { getRequest: () => request, getResponse: () => response };
  return { getType: () => 'http', switchToHttp: () => http } as unknown as ExecutionContext;
}

async function open(controller: new () => object): Promise<Application> {
  class AppModule {}
  Module({ controllers: [controller] })(AppModule);
  const app = await NestFactory.create(AppModule, { logger: false });
  await app.listen(0, '127.0.0.1');
  const application = listening(app.getHttpServer() as Server);
  return { ...application, close: () => app.close() };
}
