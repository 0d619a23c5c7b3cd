import { applyDecorators, type CanActivate, type ExecutionContext, Injectable, SetMetadata, UseGuards } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { policies } from './policies.js';
import { type AuthzClient, inProcessClient } from 'authz/client';
import { nestGuard } from 'authz/middleware/nest';

export const client: AuthzClient = inProcessClient(policies);
const principal = (context: ExecutionContext) => context.switchToHttp().getRequest().user;

const guard = nestGuard({ client, principal });

/** Requires an action on the patient of the path. */
export const Patient = (action: 'read' | 'update' | 'dischrge') =>
  applyDecorators(
    UseGuards(guard({ action, resource: (context) => ({ kind: 'patient', id: context.switchToHttp().getRequest().params.id }) })),
  );

export const Requires = (action: string) => SetMetadata('action', action);

/** Reads what `@Requires` says: the action is computed. */
@Injectable()
export class AppointmentGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const action = this.reflector.get<string>('action', context.getHandler());
    return client.isAllowed({ principal: principal(context), resource: { kind: 'appointment', id: 'new' }, action });
  }
}
