export { load, type Loaded } from './load.js';
