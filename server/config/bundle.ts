import type { BundleConfig, Secret, TrustConfig } from './bundle-config.js';
import { s3Of } from './s3.js';
import type { Settings } from './settings.js';

/** The settings as the server uses them. */
export function bundleOf(settings: Settings): BundleConfig {
  return {
    source: settings['bundle.source'],
    trust: trustOf(settings),
    poll: {
      interval: settings['bundle.poll.interval'],
      jitter: settings['bundle.poll.jitter'],
      longPoll: settings['bundle.poll.longPoll'],
      maxBackoff: settings['bundle.poll.maxBackoff'],
    },
    startTimeout: settings['bundle.startTimeout'],
    limits: {
      connect: settings['bundle.poll.connectTimeout'],
      idle: settings['bundle.poll.idleTimeout'],
      whole: settings['bundle.poll.timeout'],
      maxSize: settings['bundle.poll.maxSize'],
    },
    credentials: {
      username: settings['bundle.credentials.username'],
      password: secretOf(settings, 'password'),
      token: secretOf(settings, 'token'),
    },
    tls: {
      ca: pathOf(settings['bundle.tls.ca']),
      cert: pathOf(settings['bundle.tls.cert']),
      key: pathOf(settings['bundle.tls.key']),
    },
    proxy: { url: settings['bundle.proxy.url'], exceptions: settings['bundle.proxy.exceptions'] },
    s3: s3Of(settings, 'bundle'),
    oci: {
      dockerConfig: pathOf(settings['bundle.oci.dockerConfig']),
      plainHttp: settings['bundle.oci.plainHttp'],
    },
    cache: pathOf(settings['bundle.cache']),
  };
}

function trustOf(settings: Settings): TrustConfig | undefined {
  const keys = settings['bundle.trust.keys'];
  if (keys.length === 0) return undefined;
  return {
    keys,
    required: settings['bundle.trust.required'],
    maxAge: settings['bundle.trust.maxAge'],
    requireSequence: settings['bundle.trust.requireSequence'],
    clockSkew: settings['bundle.trust.clockSkew'],
  };
}

function secretOf(settings: Settings, which: 'password' | 'token'): Secret | undefined {
  const value = settings[`bundle.credentials.${which}`];
  const file = pathOf(settings[`bundle.credentials.${which}File`]);
  if (value !== undefined) return { value };
  return file === undefined ? undefined : { file };
}

/** An empty path is none. */
function pathOf(path: string | undefined): string | undefined {
  return path === '' ? undefined : path;
}
