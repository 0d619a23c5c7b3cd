import { stopWithParent } from './stop-with-parent.js';

/** `npm run example`: builds the programs, and runs the example contact API with a decision point. */
stopWithParent();
await import('./build.js');
await import('../examples/contact-api/start.js');
