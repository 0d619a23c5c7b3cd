import type { AuditBackendName, AuditConfig } from './audit-config.js';
import type { AuditBackend, OnAuditProblem } from './backend.js';
import { openFileBackend } from './file/file-backend.js';
import { openKafkaBackend } from './kafka/kafka-backend.js';
import { openLocalBackend } from './local/local-backend.js';

/** Opens a backend. Rejects with a ConfigError for a configuration that it cannot work with. */
type OpenBackend = (config: AuditConfig, onProblem: OnAuditProblem) => Promise<AuditBackend>;

/** Where audit entries can go (server.md 4.6). */
export const BACKENDS: { readonly [N in AuditBackendName]: OpenBackend } = {
  file: ({ file }, onProblem) => openFileBackend(file, onProblem),
  local: ({ local }, onProblem) => openLocalBackend(local, onProblem),
  kafka: async ({ kafka }, onProblem) => openKafkaBackend(kafka, onProblem),
};
