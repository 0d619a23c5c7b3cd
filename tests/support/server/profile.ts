import { type Config, loadConfig } from '../../../server/config.js';

/**
 * The credentials of the user `admin`, whose password the recorded cases do not have. The reference has default
 * credentials, which this server rejects.
 */
const ADMIN = [
  'server.adminAPI.adminCredentials.username=admin',
  'server.adminAPI.adminCredentials.passwordHash=JDJiJDA0JHNuVi9YZ04vSC9qVmI1OE1RWnhjWC5zTWlCMHRQNVJzdHE1YWNFdnVaT2Q0blQueXVrY1g2',
];

/** Plans were recorded in reference shapes (docs/spec/plans.md#reference-shapes). */
const SHAPES = 'engine.plan.referenceShapes=true';

/** The configuration of a server for the recorded HTTP cases, on free ports; `folder` is that of the cases. */
export function profileConfig(folder: string, profile: string): Config {
  const environment = {
    HTTP_PORT: '0',
    GRPC_PORT: '0',
    CASES_POLICIES: `${folder}/http-cases-policies`,
    CASES_CONFIG: `${folder}/http-cases-config`,
  };
  return loadConfig({
    file: `${folder}/http-cases-config/${profile}.yaml`,
    environment,
    sets: profile === 'limits' ? [SHAPES, ...ADMIN] : [SHAPES],
  }).config;
}
