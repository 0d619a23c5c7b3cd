import type { AuditBackendName, AuditConfig } from '../config/audit-config.js';
import type { AuditBackend, OnAuditProblem } from './backend.js';
import { openFileBackend } from './file/file-backend.js';

/** Opens a backend. Rejects with a ConfigError for a configuration that it cannot work with. */
type OpenBackend = (config: AuditConfig, onProblem: OnAuditProblem) => Promise<AuditBackend>;

/**
 * Where audit entries can go (docs/spec/server.md#audit-backends). What a backend stands on is loaded by those who use
 * it: the client of Kafka alone takes a third of a second.
 */
export const BACKENDS: { readonly [N in AuditBackendName]: OpenBackend } = {
  file: ({ file }, onProblem) => openFileBackend(file, onProblem),
  local: async ({ local }, onProblem) => (await import('./local/local-backend.js')).openLocalBackend(local, onProblem),
  kafka: async ({ kafka }, onProblem) => (await import('./kafka/kafka-backend.js')).openKafkaBackend(kafka, onProblem),
};
