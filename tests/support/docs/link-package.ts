import { linkPackage } from './package-link.js';

/** Replaces `npm install` on pages: `link-package.ts PROJECT AUTHZC`. */
const [, , project = '', authzc = ''] = process.argv;
await linkPackage(project, authzc);
