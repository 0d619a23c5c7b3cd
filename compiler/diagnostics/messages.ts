import { attributeMessages, schemaMessages } from './messages/schemas.js';
import { celMessages } from './messages/cel.js';
import { documentMessages } from './messages/document.js';
import { invariantMessages } from './messages/invariants.js';
import { lintMessages } from './messages/lint.js';
import { policyMessages } from './messages/policy.js';
import type { Message } from './messages/message.js';
import { setMessages } from './messages/set.js';
import { tableMessages } from './messages/tables.js';
import { tenantRoleMessages } from './messages/tenant-roles.js';

export type { Severity } from './messages/message.js';

/** The registry of all diagnostics. */
export const messages = {
  ...documentMessages,
  ...policyMessages,
  ...setMessages,
  ...schemaMessages,
  ...celMessages,
  ...invariantMessages,
  ...tenantRoleMessages,
  ...lintMessages,
  ...tableMessages,
  ...attributeMessages,
};

export type Code = keyof typeof messages;
export type MessageParameters<C extends Code> = (typeof messages)[C] extends Message<infer P> ? P : never;
