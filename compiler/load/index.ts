export { load, type Loaded } from './load.js';
export { loadSuites, type SuiteFiles, type TestFile } from './suites.js';
