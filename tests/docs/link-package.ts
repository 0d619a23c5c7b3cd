import { linkPackage } from '../support/docs/package-link.js';

/** What `npm install` does on a page: `link-package.ts PROJECT AUTHZC`. */
const [, , project = '', authzc = ''] = process.argv;
await linkPackage(project, authzc);
