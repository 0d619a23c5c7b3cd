import type { Config } from '../../server/config.js';
import { CallIds } from '../../server/service/call-id.js';
import { Health } from '../../server/service/health.js';
import { HEALTH_NAMES, type Services } from '../../server/service/services.js';
import { fakeDecider } from '../support/server/fake-decider.js';

/** Services for transports, without the rest of a server. No token is valid. */
export function testServices(config: Config, part: Partial<Services> = {}): Services {
  return {
    decider: fakeDecider,
    callIds: new CallIds(),
    limits: config.server.requestLimits,
    verify: () => Promise.reject(new Error('no tokens here')),
    watchers: [],
    actionNames: () => [],
    report: () => {},
    health: new Health(HEALTH_NAMES),
    release: {
      version: '1.2.3',
      commit: 'abc',
      buildDate: 'today',
      bundleHash: 'e253cbe640079a7a',
      bundleProvenance: undefined,
    },
    maxMessageSize: config.server.grpc.maxRecvMsgSizeBytes,
    ...part,
  };
}
