import type { KeyPath, Settings } from './keys.js';
import { isLoopback, isPlainHttp } from './plain-http.js';
import { type Problem, type Settled, throwProblems } from './settings.js';
import { kindOfSource } from './tenants.js';

/** A constraint between keys, reported at the key that requires the others. */
interface Agreement {
  readonly key: KeyPath;
  readonly isBroken: (settings: Settings) => boolean;
  readonly problem: string;
}

/** Agreements in the order in which they are reported. */
const AGREEMENTS: readonly Agreement[] = [
  ...pair('server.tls.cert', 'server.tls.key'),
  {
    key: 'server.tls.caCert',
    isBroken: ({ server: { tls } }) => isOn(tls.caCert) && !isOn(tls.cert),
    problem: 'needs `server.tls.cert` and `server.tls.key`',
  },
  needs('server.adminAPI.enabled', 'server.adminAPI.adminCredentials.username', 'there are no default credentials'),
  needs(
    'server.adminAPI.enabled',
    'server.adminAPI.adminCredentials.passwordHash',
    'there are no default credentials; `authzc admin hash` makes one',
  ),
  // All at once: each of them needs the next.
  ...(['enabled', 'adminCredentials.username', 'adminCredentials.passwordHash'] as const).map((name) =>
    needs(
      'server.explain.enabled',
      `server.adminAPI.${name}`,
      name === 'enabled' ? 'explanations show policies' : '`authzc admin hash` makes the credentials',
    ),
  ),
  {
    key: 'server.authzen.subject',
    isBroken: ({ server, auxData }) => server.authzen.subject === 'token' && auxData.jwt.keySets.length === 0,
    problem: '`token` needs `auxData.jwt.keySets`: the token must be verified',
  },
  {
    key: 'auxData.jwt.disableVerification',
    isBroken: ({ server, auxData }) => server.authzen.subject === 'token' && auxData.jwt.disableVerification,
    problem: 'contradicts `server.authzen.subject: token`: the token must be verified',
  },
  needs('server.gateway.enabled', 'server.gateway.peers'),
  needs('server.gateway.enabled', 'server.gateway.routes'),
  {
    key: 'server.gateway.enabled',
    isBroken: (s) => readsTokens(s) && s.auxData.jwt.keySets.length === 0,
    problem: 'needs `auxData.jwt.keySets`: tokens must be verified',
  },
  {
    key: 'server.gateway.enabled',
    isBroken: (s) => readsTokens(s) && !hasKeySet(s),
    problem: 'needs `server.gateway.token.keySet`: the id of one of `auxData.jwt.keySets`',
  },
  {
    key: 'auxData.jwt.disableVerification',
    isBroken: (s) => readsTokens(s) && s.auxData.jwt.disableVerification,
    problem: 'contradicts `server.gateway.enabled`: tokens must be verified',
  },
  {
    key: 'server.gateway.enabled',
    isBroken: (s) => new Set(listHeaders(s)).size < listHeaders(s).length,
    problem: 'needs a different name for each header that the gateway reads or returns',
  },
  ...(['required', 'maxAge', 'requireSequence'] as const).map(
    (name): Agreement => ({
      key: `bundle.trust.${name}`,
      isBroken: ({ bundle: { trust } }) =>
        trust.keys.length === 0 && trust[name] !== { required: 1, maxAge: undefined, requireSequence: false }[name],
      problem: 'needs `bundle.trust.keys`: without keys, no signature is verified',
    }),
  ),
  needs('bundle.trust.requireSequence', 'bundle.cache', 'the highest sequence must be remembered'),
  {
    key: 'engine.plan.missing',
    isBroken: ({ engine: { plan } }) => plan.missing === 'nulls' && plan.referenceShapes,
    problem: '`nulls` contradicts `engine.plan.referenceShapes`, whose trees have no form for it',
  },
  {
    key: 'engine.plan.referenceShapes',
    isBroken: (s) => s.engine.plan.referenceShapes && searches(s),
    problem: 'contradicts `search: true` of a source: such filters leave out rows that are allowed',
  },
  {
    key: 'engine.plan.missing',
    isBroken: (s) => s.engine.plan.missing === 'nulls' && searches(s),
    problem: '`nulls` contradicts `search: true` of a source, whose columns tell null from missing',
  },
  {
    key: 'server.authzen.subject',
    isBroken: (s) => s.server.authzen.subject === 'token' && searches(s, 'principal'),
    problem:
      '`token` contradicts `search: true` of a source of principals: the attributes of a subject come from its token, and searched subjects have none',
  },
  {
    key: 'tenants.source',
    isBroken: (s) => isOn(s.tenants.source) && selectsPrincipals(s),
    problem: 'contradicts `selects` or `users` of a source of principals: the source decides which tenants are needed',
  },
  needs('audit.enabled', 'audit.backend'),
  backendNeeds('local', 'audit.local.storagePath'),
  backendNeeds('kafka', 'audit.kafka.topic'),
  backendNeeds('kafka', 'audit.kafka.brokers'),
  backendNeeds('nats', 'audit.nats.servers'),
  backendNeeds('s3', 'audit.s3.bucket'),
  {
    key: 'audit.chain.enabled',
    isBroken: ({ audit }) => audit.chain.enabled && writesTo(audit, 'kafka') && audit.kafka.encoding !== 'json',
    problem: 'needs `audit.kafka.encoding: json`: the chain hashes entries as JSON',
  },
  needs('audit.file.logRotation.maxFileAgeDays', 'audit.file.logRotation.maxFileSizeMB'),
  needs('audit.file.logRotation.maxFileCount', 'audit.file.logRotation.maxFileSizeMB'),
  ...clientCertificate('audit.kafka.authentication.tls'),
  needs('audit.kafka.authentication.sasl.username', 'audit.kafka.authentication.sasl.mechanism'),
  needs('audit.kafka.authentication.sasl.password', 'audit.kafka.authentication.sasl.mechanism'),
  needs('audit.kafka.authentication.sasl.passwordFile', 'audit.kafka.authentication.sasl.mechanism'),
  needs('audit.kafka.authentication.sasl.mechanism', 'audit.kafka.authentication.sasl.username'),
  {
    key: 'audit.kafka.authentication.sasl.mechanism',
    isBroken: ({ audit: { kafka } }) => {
      const { mechanism, password, passwordFile } = kafka.authentication.sasl;
      return isOn(mechanism) && isOn(password) === isOn(passwordFile);
    },
    problem: 'needs one of `audit.kafka.authentication.sasl.password` and `.passwordFile`',
  },
  {
    key: 'audit.kafka.authentication.sasl.mechanism',
    isBroken: ({ audit: { kafka } }) =>
      kafka.authentication.sasl.mechanism === 'PLAIN' &&
      !isOn(kafka.authentication.tls.caPath) &&
      !kafka.brokers.every((broker) => isLoopback(new URL(`http://${broker}`))),
    problem:
      '`PLAIN` needs `audit.kafka.authentication.tls.caPath`: the password would be sent in plain text; use TLS or SCRAM',
  },
  ...(['password', 'token'] as const).map(
    (secret): Agreement => ({
      key: `bundle.credentials.${secret}File`,
      isBroken: ({ bundle: { credentials } }) => isOn(credentials[`${secret}File`]) && isOn(credentials[secret]),
      problem: `contradicts \`bundle.credentials.${secret}\`: set one of them`,
    }),
  ),
  needs('bundle.credentials.password', 'bundle.credentials.username'),
  needs('bundle.credentials.passwordFile', 'bundle.credentials.username'),
  {
    key: 'bundle.credentials.username',
    isBroken: ({ bundle: { credentials } }) =>
      isOn(credentials.username) && (isOn(credentials.token) || isOn(credentials.tokenFile)),
    problem: 'contradicts a token: set one of them',
  },
  ...pair('bundle.tls.cert', 'bundle.tls.key'),
  {
    key: 'bundle.source',
    isBroken: ({ bundle }) => {
      const { username, token, tokenFile } = bundle.credentials;
      return hasPlainSource(bundle) && (isOn(username) || isOn(token) || isOn(tokenFile));
    },
    problem: 'needs `https://`: `bundle.credentials` would be sent in plain text',
  },
  {
    key: 'bundle.source',
    isBroken: ({ bundle }) => hasPlainSource(bundle) && bundle.trust.keys.length === 0,
    problem:
      'needs TLS or `bundle.trust.keys`: an attacker on the network could replace the bundle, whose code the server runs',
  },
  {
    key: 'tenants.source',
    isBroken: ({ tenants }) => !tenants.http.plainHttp && sendsTenantCredentialsInPlainText(tenants),
    problem: 'needs `https://`: its credentials would be sent in plain text; `tenants.http.plainHttp: true` allows it',
  },
  ...clientCertificate('audit.nats.authentication.tls'),
];

/** Checks constraints between keys. Throws a ConfigError with all that are violated. */
export function checkAgreements(settled: Settled): void {
  const broken = findDisagreements(settled);
  if (broken.length > 0) throwProblems(broken.map((each) => ({ ...each, problem: `\`${each.key}\` ${each.problem}` })));
}

/** The constraints between keys that are violated. */
export function findDisagreements({ settings, places }: Settled): readonly Problem[] {
  return AGREEMENTS.filter(({ isBroken }) => isBroken(settings)).map(({ key, problem }) => ({
    key,
    problem,
    place: places.get(key) ?? 'defaults',
  }));
}

/** A key that has no meaning without another one. */
function needs(key: KeyPath, other: KeyPath, why?: string): Agreement {
  return {
    key,
    isBroken: (settings) => isOn(valueAt(settings, key)) && !isOn(valueAt(settings, other)),
    problem: `needs \`${other}\`${why === undefined ? '' : `: ${why}`}`,
  };
}

/** Two keys that have no meaning without each other. */
function pair(one: KeyPath, other: KeyPath): readonly Agreement[] {
  return [needs(one, other), needs(other, one)];
}

function clientCertificate(block: 'audit.kafka.authentication.tls' | 'audit.nats.authentication.tls') {
  return [
    needs(`${block}.certPath`, `${block}.caPath`),
    needs(`${block}.keyPath`, `${block}.caPath`),
    ...pair(`${block}.certPath`, `${block}.keyPath`),
  ];
}

function backendNeeds(backend: Settings['audit']['backend'], key: KeyPath): Agreement {
  return {
    key: 'audit.backend',
    isBroken: (settings) => writesTo(settings.audit, backend) && !isOn(valueAt(settings, key)),
    problem: `\`${backend}\` needs \`${key}\``,
  };
}

function valueAt(settings: Settings, key: KeyPath): unknown {
  return key.split('.').reduce((block: unknown, name) => (block as { [name: string]: unknown })[name], settings);
}

/** Whether a value is set, and not one that turns something off. */
function isOn(value: unknown): boolean {
  return Array.isArray(value)
    ? value.length > 0
    : value !== undefined && value !== '' && value !== false && value !== 0;
}

function writesTo({ enabled, backend }: Settings['audit'], wanted: Settings['audit']['backend']): boolean {
  return enabled && backend === wanted;
}

function readsTokens({ server: { gateway } }: Settings): boolean {
  return gateway.enabled && gateway.principal === 'token';
}

function hasKeySet({ server: { gateway }, auxData }: Settings): boolean {
  const { keySet } = gateway.token;
  const { keySets } = auxData.jwt;
  return keySet === '' ? keySets.length === 1 : keySets.some(({ id }) => id === keySet);
}

/** And those of HTTP that a response or a request has in any case. */
function listHeaders({ server: { gateway } }: Settings): readonly string[] {
  return [
    ...['authorization', 'connection', 'content-length', 'date', 'transfer-encoding', 'www-authenticate'],
    ...[gateway.methodHeader, gateway.pathHeader, gateway.headers.id, gateway.headers.roles],
    ...[gateway.identity.id, gateway.identity.roles, ...Object.values(gateway.identity.attributes)],
  ];
}

/** Whether the source is asked in plain text over a network. */
function hasPlainSource({ source, oci, s3 }: Settings['bundle']): boolean {
  switch (source?.kind) {
    case 'oci':
      return oci.plainHttp && isPlainHttp(new URL(`http://${source.reference.host}`));
    case 's3':
      return s3.endpoint !== undefined && isPlainHttp(new URL(s3.endpoint));
    case 'http':
      return isPlainHttp(new URL(source.url));
    default:
      return false;
  }
}

function sendsTenantCredentialsInPlainText({ source = '', http }: Settings['tenants']): boolean {
  if (kindOfSource(source) !== 'http') return false;
  const url = new URL(source);
  return isPlainHttp(url) && (url.username !== '' || url.password !== '' || isOn(http.tokenFile));
}

/** Whether rows of a source may be searched: of any one, or of those of a kind. */
function searches({ sources }: Settings, kind?: string): boolean {
  return Object.values(sources.from).some(({ search, of }) => search && (kind === undefined || of === kind));
}

/** Whether a source says the roles, the scope or the version of principals. */
function selectsPrincipals({ sources }: Settings): boolean {
  return Object.values(sources.from).some(
    ({ of, sql, selects }) =>
      of === 'principal' && (Object.keys(selects).length > 0 || (sql !== undefined && sql.table === undefined)),
  );
}
