export { load, type Loaded, MAX_FILE_SIZE } from './load.js';
export { isReadFromPolicies, isSuiteFile } from './names.js';
export { loadSuites, type SuiteFiles, suitesAmong, type TestFile } from './suites.js';
