import { ConfigError } from './config-error.js';
import { isLoopback, isPlainHttp } from './plain-http.js';
import type { Settled, Settings } from './settings.js';
import { kindOfSource } from './tenants.js';

/** A constraint between keys, reported at the key that requires the others. */
interface Agreement {
  readonly key: keyof Settings;
  readonly holds: (settings: Settings) => boolean;
  readonly problem: string;
}

/** In the order in which they are reported. */
const AGREEMENTS: readonly Agreement[] = [
  needs('server.tls.cert', 'server.tls.key'),
  needs('server.tls.key', 'server.tls.cert'),
  {
    key: 'server.tls.caCert',
    holds: (s) => !has(s, 'server.tls.caCert') || has(s, 'server.tls.cert'),
    problem: 'needs `server.tls.cert` and `server.tls.key`',
  },
  {
    key: 'server.adminAPI.enabled',
    holds: (s) => !s['server.adminAPI.enabled'] || has(s, 'server.adminAPI.adminCredentials.username'),
    problem: 'needs `server.adminAPI.adminCredentials.username`: there are no default credentials',
  },
  {
    key: 'server.adminAPI.enabled',
    holds: (s) => !s['server.adminAPI.enabled'] || has(s, 'server.adminAPI.adminCredentials.passwordHash'),
    problem: 'needs `server.adminAPI.adminCredentials.passwordHash`: there are no default credentials',
  },
  {
    key: 'server.explain.enabled',
    holds: (s) => !s['server.explain.enabled'] || s['server.adminAPI.enabled'],
    problem: 'needs `server.adminAPI.enabled`: explanations show policies',
  },
  {
    key: 'server.authzen.subject',
    holds: (s) => s['server.authzen.subject'] !== 'token' || s['auxData.jwt.keySets'].length > 0,
    problem: '`token` needs `auxData.jwt.keySets`: the token must be verified',
  },
  {
    key: 'auxData.jwt.disableVerification',
    holds: (s) => s['server.authzen.subject'] !== 'token' || !s['auxData.jwt.disableVerification'],
    problem: 'contradicts `server.authzen.subject: token`: the token must be verified',
  },
  ...(['peers', 'routes'] as const).map(
    (list): Agreement => ({
      key: 'server.gateway.enabled',
      holds: (s) => !s['server.gateway.enabled'] || s[`server.gateway.${list}`].length > 0,
      problem: `needs \`server.gateway.${list}\``,
    }),
  ),
  {
    key: 'server.gateway.enabled',
    holds: (s) => !readsTokens(s) || s['auxData.jwt.keySets'].length > 0,
    problem: 'needs `auxData.jwt.keySets`: tokens must be verified',
  },
  {
    key: 'server.gateway.enabled',
    holds: (s) => !readsTokens(s) || hasKeySet(s),
    problem: 'needs `server.gateway.token.keySet`: the id of one of `auxData.jwt.keySets`',
  },
  {
    key: 'auxData.jwt.disableVerification',
    holds: (s) => !readsTokens(s) || !s['auxData.jwt.disableVerification'],
    problem: 'contradicts `server.gateway.enabled`: tokens must be verified',
  },
  {
    key: 'server.gateway.enabled',
    holds: (s) => new Set(gatewayHeaders(s)).size === gatewayHeaders(s).length,
    problem: 'needs a different name for each header that the gateway reads or returns',
  },
  ...(['required', 'maxAge', 'requireSequence'] as const).map(
    (key): Agreement => ({
      key: `bundle.trust.${key}`,
      holds: (s) => s['bundle.trust.keys'].length > 0 || !isSet(s, key),
      problem: 'needs `bundle.trust.keys`: without keys, no signature is verified',
    }),
  ),
  {
    key: 'bundle.trust.requireSequence',
    holds: (s) => !s['bundle.trust.requireSequence'] || has(s, 'bundle.cache'),
    problem: 'needs `bundle.cache`: the highest sequence must be remembered',
  },
  {
    key: 'engine.plan.missing',
    holds: (s) => s['engine.plan.missing'] === 'has' || !s['engine.plan.referenceShapes'],
    problem: '`nulls` contradicts `engine.plan.referenceShapes`, whose trees have no form for it',
  },
  {
    key: 'audit.enabled',
    holds: (s) => !s['audit.enabled'] || s['audit.backend'] !== undefined,
    problem: 'needs `audit.backend`',
  },
  {
    key: 'audit.backend',
    holds: (s) => !writesTo(s, 'local') || has(s, 'audit.local.storagePath'),
    problem: '`local` needs `audit.local.storagePath`',
  },
  {
    key: 'audit.backend',
    holds: (s) => !writesTo(s, 'kafka') || has(s, 'audit.kafka.topic'),
    problem: '`kafka` needs `audit.kafka.topic`',
  },
  {
    key: 'audit.backend',
    holds: (s) => !writesTo(s, 'kafka') || s['audit.kafka.brokers'].length > 0,
    problem: '`kafka` needs `audit.kafka.brokers`',
  },
  {
    key: 'audit.backend',
    holds: (s) => !writesTo(s, 'nats') || s['audit.nats.servers'].length > 0,
    problem: '`nats` needs `audit.nats.servers`',
  },
  {
    key: 'audit.backend',
    holds: (s) => !writesTo(s, 's3') || has(s, 'audit.s3.bucket'),
    problem: '`s3` needs `audit.s3.bucket`',
  },
  {
    key: 'audit.chain.enabled',
    holds: (s) => !s['audit.chain.enabled'] || !writesTo(s, 'kafka') || s['audit.kafka.encoding'] === 'json',
    problem: 'needs `audit.kafka.encoding: json`, of which hashes are made',
  },
  ...(['maxFileAgeDays', 'maxFileCount'] as const).map(
    (limit): Agreement => ({
      key: `audit.file.logRotation.${limit}`,
      holds: (s) => s[`audit.file.logRotation.${limit}`] === 0 || has(s, 'audit.file.logRotation.maxFileSizeMB'),
      problem: 'needs `audit.file.logRotation.maxFileSizeMB`',
    }),
  ),
  needs('audit.kafka.authentication.tls.certPath', 'audit.kafka.authentication.tls.caPath'),
  needs('audit.kafka.authentication.tls.keyPath', 'audit.kafka.authentication.tls.caPath'),
  needs('audit.kafka.authentication.tls.certPath', 'audit.kafka.authentication.tls.keyPath'),
  needs('audit.kafka.authentication.tls.keyPath', 'audit.kafka.authentication.tls.certPath'),
  ...(['username', 'password', 'passwordFile'] as const).map((key) =>
    needs(`audit.kafka.authentication.sasl.${key}`, 'audit.kafka.authentication.sasl.mechanism'),
  ),
  needs('audit.kafka.authentication.sasl.mechanism', 'audit.kafka.authentication.sasl.username'),
  {
    key: 'audit.kafka.authentication.sasl.mechanism',
    holds: (s) =>
      !has(s, 'audit.kafka.authentication.sasl.mechanism') ||
      has(s, 'audit.kafka.authentication.sasl.password') !== has(s, 'audit.kafka.authentication.sasl.passwordFile'),
    problem: 'needs one of `audit.kafka.authentication.sasl.password` and `.passwordFile`',
  },
  {
    key: 'audit.kafka.authentication.sasl.mechanism',
    holds: (s) =>
      s['audit.kafka.authentication.sasl.mechanism'] !== 'PLAIN' ||
      has(s, 'audit.kafka.authentication.tls.caPath') ||
      s['audit.kafka.brokers'].every((broker) => isLoopback(new URL(`http://${broker}`))),
    problem:
      '`PLAIN` needs `audit.kafka.authentication.tls.caPath`: the password would be sent in plain text; use TLS or SCRAM',
  },
  ...(['password', 'token'] as const).map(
    (which): Agreement => ({
      key: `bundle.credentials.${which}File`,
      holds: (s) => !has(s, `bundle.credentials.${which}File`) || !has(s, `bundle.credentials.${which}`),
      problem: `contradicts \`bundle.credentials.${which}\`: set one of them`,
    }),
  ),
  needs('bundle.credentials.password', 'bundle.credentials.username'),
  needs('bundle.credentials.passwordFile', 'bundle.credentials.username'),
  {
    key: 'bundle.credentials.username',
    holds: (s) =>
      !has(s, 'bundle.credentials.username') ||
      !(has(s, 'bundle.credentials.token') || has(s, 'bundle.credentials.tokenFile')),
    problem: 'contradicts a token: set one of them',
  },
  needs('bundle.tls.cert', 'bundle.tls.key'),
  needs('bundle.tls.key', 'bundle.tls.cert'),
  {
    key: 'bundle.source',
    holds: (s) => !hasPlainSource(s) || !sendsCredentials(s),
    problem: 'needs `https://`: `bundle.credentials` would be sent in plain text',
  },
  {
    key: 'bundle.source',
    holds: (s) => !hasPlainSource(s) || s['bundle.trust.keys'].length > 0,
    problem:
      'needs TLS, or `bundle.trust.keys`: on the way, others could replace the bundle, whose code the server runs',
  },
  {
    key: 'tenants.source',
    holds: (s) => s['tenants.http.plainHttp'] || !sendsTenantCredentialsInPlainText(s),
    problem: 'needs `https://`: its credentials would be sent in plain text; `tenants.http.plainHttp: true` allows it',
  },
  needs('audit.nats.authentication.tls.certPath', 'audit.nats.authentication.tls.caPath'),
  needs('audit.nats.authentication.tls.keyPath', 'audit.nats.authentication.tls.caPath'),
  needs('audit.nats.authentication.tls.certPath', 'audit.nats.authentication.tls.keyPath'),
  needs('audit.nats.authentication.tls.keyPath', 'audit.nats.authentication.tls.certPath'),
];

/**
 * Checks constraints between keys. Throws a ConfigError for the first one that is violated
 * (docs/spec/server.md#start-failures).
 */
export function checkAgreements(settled: Settled): void {
  const [first] = disagreements(settled);
  if (first !== undefined) throw new ConfigError(`\`${first.key}\` ${first.problem}`, first.place);
}

/** All constraints between keys that are violated. */
export function disagreements({ settings, places }: Settled): readonly Disagreement[] {
  return AGREEMENTS.filter(({ holds }) => !holds(settings)).map(({ key, problem }) => ({
    key,
    problem,
    place: places.get(key) ?? 'defaults',
  }));
}

/** A violated constraint, with the key that requires others and where that was written. */
export interface Disagreement {
  readonly key: keyof Settings;
  readonly problem: string;
  readonly place: string;
}

/** A key that has no meaning without another one. */
function needs(key: keyof Settings, other: keyof Settings): Agreement {
  return { key, holds: (s) => !has(s, key) || has(s, other), problem: `needs \`${other}\`` };
}

function has(settings: Settings, key: keyof Settings): boolean {
  return settings[key] !== undefined && settings[key] !== '';
}

function writesTo(settings: Settings, backend: Settings['audit.backend']): boolean {
  return settings['audit.enabled'] && settings['audit.backend'] === backend;
}

function readsTokens(settings: Settings): boolean {
  return settings['server.gateway.enabled'] && settings['server.gateway.principal'] === 'token';
}

function hasKeySet(settings: Settings): boolean {
  const id = settings['server.gateway.token.keySet'];
  const keySets = settings['auxData.jwt.keySets'];
  return id === '' ? keySets.length === 1 : keySets.some((keySet) => keySet.id === id);
}

/** And those of HTTP that a response or a request has in any case. */
function gatewayHeaders(settings: Settings): readonly string[] {
  return [
    ...['authorization', 'connection', 'content-length', 'date', 'transfer-encoding', 'www-authenticate'],
    settings['server.gateway.methodHeader'],
    settings['server.gateway.pathHeader'],
    settings['server.gateway.headers.id'],
    settings['server.gateway.headers.roles'],
    settings['server.gateway.identity.id'],
    settings['server.gateway.identity.roles'],
    ...Object.values(settings['server.gateway.identity.attributes']),
  ];
}

function isSet(settings: Settings, key: 'required' | 'maxAge' | 'requireSequence'): boolean {
  const unset = { required: 1, maxAge: undefined, requireSequence: false };
  return settings[`bundle.trust.${key}`] !== unset[key];
}

/** Whether the source is asked in plain text over a network. */
function hasPlainSource(settings: Settings): boolean {
  const source = settings['bundle.source'];
  switch (source?.kind) {
    case 'oci':
      return settings['bundle.oci.plainHttp'] && isPlainHttp(new URL(`http://${source.reference.host}`));
    case 's3': {
      const endpoint = settings['bundle.s3.endpoint'];
      return endpoint !== undefined && isPlainHttp(new URL(endpoint));
    }
    case 'http':
      return isPlainHttp(new URL(source.url));
    default:
      return false;
  }
}

function sendsTenantCredentialsInPlainText(settings: Settings): boolean {
  const source = settings['tenants.source'] ?? '';
  if (kindOfSource(source) !== 'http') return false;
  const url = new URL(source);
  return isPlainHttp(url) && (url.username !== '' || url.password !== '' || has(settings, 'tenants.http.tokenFile'));
}

function sendsCredentials(settings: Settings): boolean {
  return ['username', 'token', 'tokenFile'].some((key) => has(settings, `bundle.credentials.${key}` as keyof Settings));
}
