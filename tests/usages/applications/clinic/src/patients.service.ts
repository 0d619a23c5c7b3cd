import { Injectable } from '@nestjs/common';
import { client } from './access.js';

@Injectable()
export class PatientService {
  async list() {
    const principal = { id: 'ann', roles: ['doctor'] };
    return client.plan({ principal, resource: { kind: 'patient' }, actions: ['list'] });
  }

  /** Asks nothing. */
  async history(id: string) {
    return [{ id }];
  }
}
