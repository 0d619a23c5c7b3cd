export { load, type Loaded } from './load.js';
export { isReadFromPolicies } from './names.js';
export { loadSuites, type SuiteFiles, type TestFile } from './suites.js';
