import type { ServerInfoResponse } from '../../proto/messages.js';
import type { Services } from './services.js';

/** What is made from the release once and used for every answer, until a swap of the policies changes it. */
export function byRelease<T>(services: Pick<Services, 'release'>, make: (release: ServerInfoResponse) => T): () => T {
  let release = services.release;
  let made = make(release);
  return () => {
    if (services.release !== release) {
      release = services.release;
      made = make(release);
    }
    return made;
  };
}
