import type { Workload, Decide, Question } from './workload.js';
import { decideWithAccessControl } from './deciders/accesscontrol.js';
import { decideWithBetterAuth } from './deciders/better-auth.js';
import { decideWithCasbin } from './deciders/casbin.js';
import { decideWithCasl } from './deciders/casl.js';
import { decideWithCedar } from './deciders/cedar.js';
import { decideWithCedarling } from './deciders/cedarling.js';
import { decideWithEasyRbac } from './deciders/easy-rbac.js';
import { decideWithOso } from './deciders/oso.js';
import { decideWithPermix } from './deciders/permix.js';

/** A library that decides in process. */
export interface Library {
  readonly name: string;
  /** As the package.json beside this file names it, with its version. */
  readonly package: string;
  /** Whether its rules cannot read attributes. */
  readonly rolesOnly?: true;
  /** What to know about its rows. */
  readonly note?: string;
  /** The module that programs import, and what they import of it. */
  readonly imports: string;
  /** The WebAssembly that it loads, below its package. */
  readonly wasm?: string;
  /** Prepares decisions; undefined if the workload has no policies in the form of the library. */
  readonly prepare: (workload: Workload, questions: readonly Question[]) => Promise<Decide | undefined>;
}

/** The libraries that are compared, at their newest versions. */
export const LIBRARIES: readonly Library[] = [
  {
    name: 'CASL',
    package: '@casl/ability',
    imports: `import { createMongoAbility, subject } from '@casl/ability'; globalThis.used = [createMongoAbility, subject];`,
    prepare: decideWithCasl,
  },
  {
    name: 'Permix',
    package: 'permix',
    note: 'conditions are functions of the program; needs Node 22',
    imports: `import { createPermix } from 'permix'; globalThis.used = [createPermix];`,
    prepare: decideWithPermix,
  },
  {
    name: 'Better Auth',
    package: 'better-auth',
    rolesOnly: true,
    note: 'roles only, as its access control has no conditions',
    imports: `import { createAccessControl } from 'better-auth/plugins/access'; globalThis.used = [createAccessControl];`,
    prepare: decideWithBetterAuth,
  },
  {
    name: 'easy-rbac',
    package: 'easy-rbac',
    note: 'decides asynchronously; conditions are functions of the program',
    imports: `import rbac from 'easy-rbac'; globalThis.used = [rbac];`,
    prepare: decideWithEasyRbac,
  },
  {
    name: 'accesscontrol',
    package: 'accesscontrol',
    imports: `import { AccessControl } from 'accesscontrol'; globalThis.used = [AccessControl];`,
    prepare: decideWithAccessControl,
  },
  {
    name: 'casbin',
    package: 'casbin',
    note: '`enforceSync`',
    imports: `import { newEnforcer, newModelFromString } from 'casbin'; globalThis.used = [newEnforcer, newModelFromString];`,
    prepare: decideWithCasbin,
  },
  {
    name: 'Cedar (wasm)',
    package: '@cedar-policy/cedar-wasm',
    note: '`statefulIsAuthorized`, with parsed policies; entities are passed with each call',
    imports: `import cedar from '@cedar-policy/cedar-wasm/nodejs'; globalThis.used = [cedar];`,
    wasm: 'nodejs/cedar_wasm_bg.wasm',
    prepare: decideWithCedar,
  },
  {
    name: 'Cedarling (wasm)',
    package: '@janssenproject/cedarling_wasm',
    note: '`authorize_unsigned`, asynchronous; requests are JSON beforehand',
    imports: `import { init, initSync } from '@janssenproject/cedarling_wasm'; globalThis.used = [init, initSync];`,
    wasm: 'cedarling_wasm_bg.wasm',
    prepare: decideWithCedarling,
  },
  {
    name: 'Oso (wasm)',
    package: 'oso',
    note: '`isAllowed`, asynchronous',
    imports: `import { Oso } from 'oso'; globalThis.used = [Oso];`,
    wasm: 'dist/src/polar_wasm_api_bg.wasm',
    prepare: decideWithOso,
  },
];
