import type { Json } from '../../wire/json-shape.js';

/** The body of an error: a code of gRPC, a text, and sometimes details. */
export interface ErrorExample {
  readonly name: string;
  readonly summary: string;
  readonly body: Json;
}

/** Examples of 400. */
export const BAD_REQUESTS: readonly ErrorExample[] = [
  {
    name: 'syntax',
    summary: 'No JSON, an unknown field, or a value of another type',
    body: { code: 3, message: 'unexpected EOF' },
  },
  {
    name: 'rule',
    summary: 'A rule of the message is broken',
    body: {
      code: 3,
      message: 'validation error: principal.id: value is required',
      details: [
        {
          '@type': 'type.googleapis.com/buf.validate.Violations',
          violations: [
            {
              field: {
                elements: [
                  { fieldNumber: 3, fieldName: 'principal', fieldType: 'TYPE_MESSAGE' },
                  { fieldNumber: 1, fieldName: 'id', fieldType: 'TYPE_STRING' },
                ],
              },
              rule: { elements: [{ fieldNumber: 25, fieldName: 'required', fieldType: 'TYPE_BOOL' }] },
              ruleId: 'required',
              message: 'value is required',
            },
          ],
        },
      ],
    },
  },
  {
    name: 'limit',
    summary: 'More than the configuration permits',
    body: { code: 3, message: 'number of actions (51) exceeds configured limit (50)' },
  },
  {
    name: 'token',
    summary: 'A token that is not good; the log has the reason',
    body: { code: 3, message: 'invalid auxData' },
  },
];

export const UNAUTHENTICATED: readonly ErrorExample[] = [
  { name: 'missing', summary: 'No credentials', body: { code: 16, message: 'authentication required' } },
  { name: 'wrong', summary: 'Others than the configured ones', body: { code: 16, message: 'incorrect credentials' } },
];

export const UNKNOWN_SERVICE: readonly ErrorExample[] = [
  { name: 'service', summary: 'No service has this name', body: { code: 5, message: 'unknown service' } },
];
export const ADMIN_OFF: readonly ErrorExample[] = [
  {
    name: 'off',
    summary: 'The configuration has no admin API',
    body: { code: 12, message: 'Admin service is disabled by the configuration' },
  },
];
export const TOO_LARGE: readonly ErrorExample[] = [
  {
    name: 'size',
    summary: 'Larger than the configuration permits',
    body: { code: 8, message: 'grpc: received message larger than max (4194305 vs. 4194304)' },
  },
];
export const STOPPING: readonly ErrorExample[] = [
  { name: 'stopping', summary: 'The server was told to stop', body: { code: 14, message: 'the server is stopping' } },
];
export const TOO_LATE: readonly ErrorExample[] = [
  {
    name: 'deadline',
    summary: 'It took longer than the header Grpc-Timeout permits',
    body: { code: 4, message: 'context deadline exceeded' },
  },
];
