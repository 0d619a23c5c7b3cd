import { PROGRAMS } from '../../tests/support/cli/programs.js';
import { packedPackages } from '../../tests/support/packed-packages.js';

/*
 * Builds what many test files share. .ci/run does so beside the gates; otherwise the first files that need it
 * build it, and others wait for them.
 */
console.log(PROGRAMS.authzc);
for (const archive of packedPackages()) console.log(archive);
