import type { Run } from '../run.js';

/** Whether a string has a format. A format that takes more than linear time spends steps of the run. */
export type Format = (text: string, run: Run) => boolean;

export { isEmail, isHostname, isIpv4, isIpv6 } from './host.js';
export { isRegex } from './regex.js';
export { isJsonPointer, isRelativeJsonPointer, isUuid } from './texts.js';
export { isDate, isDateTime, isDuration, isPeriod, isTime } from './time.js';
export { isUri, isUriReference, isUriTemplate } from './uri.js';
