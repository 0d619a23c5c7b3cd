import { readFile } from 'node:fs/promises';
import { HttpClient, limitsWithin } from '../outgoing/http-client.js';
import { isPlainHttp } from '../config/plain-http.js';
import { explainReadError } from '../read-error.js';

/** What signs requests. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Absent: the credentials are not temporary. */
  readonly sessionToken?: string;
}

/** Credentials that are valid for some time. */
interface Temporary extends Credentials {
  /** Milliseconds since 1970. */
  readonly expiration: number;
}

type Environment = { readonly [name: string]: string | undefined };

/** They are replaced this long before they expire, in milliseconds. */
const EARLY = 5 * 60_000;
/** How long credentials that are still valid are used after a failure without another attempt, in milliseconds. */
const PAUSE = 10_000;
const TIMEOUT = 10_000;
/** Limit for an answer, in bytes. */
const LARGEST = 64 * 1024;
/** Addresses at which the agents of EKS and ECS answer without TLS. */
const AGENTS: ReadonlySet<string> = new Set(['169.254.170.2', '169.254.170.23', '[fd00:ec2::23]']);

/**
 * Temporary credentials of a pod, by the variables that Kubernetes and AWS put into it: a token of its service account,
 * which STS exchanges (IRSA), or the agent of EKS Pod Identity or of ECS. They are kept until they are about to expire.
 */
export class PodCredentials {
  #current: Temporary | undefined;
  #fetching: Promise<Temporary> | undefined;
  #next = 0;

  constructor(
    private readonly environment: Environment = process.env,
    private readonly now: () => number = Date.now,
  ) {}

  /** Whether the variables are there. */
  get isConfigured(): boolean {
    return this.#source() !== undefined;
  }

  /** The credentials of now. Rejects with an Error without secrets. */
  async read(): Promise<Credentials> {
    const current = this.#current;
    const now = this.now();
    const isValid = current !== undefined && now < current.expiration;
    if (isValid && (now < current.expiration - EARLY || now < this.#next)) return current;
    const fetching = this.#fetch();
    if (!isValid) return fetching;
    return fetching.catch(() => {
      this.#next = this.now() + PAUSE;
      return current;
    });
  }

  /** Calls at the same time share one request. */
  #fetch(): Promise<Temporary> {
    this.#fetching ??= (this.#source() ?? nothingConfigured)()
      .then((fetched) => {
        this.#current = fetched;
        return fetched;
      })
      .finally(() => {
        this.#fetching = undefined;
      });
    return this.#fetching;
  }

  #source(): (() => Promise<Temporary>) | undefined {
    const { environment } = this;
    const tokenFile = environment['AWS_WEB_IDENTITY_TOKEN_FILE'] || undefined;
    const role = environment['AWS_ROLE_ARN'] || undefined;
    if (tokenFile !== undefined && role !== undefined) return () => assumeRole(tokenFile, role, environment);
    const full = environment['AWS_CONTAINER_CREDENTIALS_FULL_URI'] || undefined;
    const relative = environment['AWS_CONTAINER_CREDENTIALS_RELATIVE_URI'] || undefined;
    const url = relative === undefined ? full : `http://169.254.170.2${relative}`;
    return url === undefined ? undefined : () => askAgent(url, environment);
  }
}

async function nothingConfigured(): Promise<never> {
  throw new Error('no credentials: the variables of the pod are not set');
}

/** AssumeRoleWithWebIdentity of the AWS Security Token Service. Needs no other credentials. */
async function assumeRole(tokenFile: string, role: string, environment: Environment): Promise<Temporary> {
  const region = environment['AWS_REGION'] || environment['AWS_DEFAULT_REGION'] || 'us-east-1';
  const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  const url = parseUrl(
    environment['AWS_ENDPOINT_URL_STS'] || `https://sts.${region}.${domain}`,
    'AWS_ENDPOINT_URL_STS',
  );
  if (isPlainHttp(url)) throw new Error('no credentials: `AWS_ENDPOINT_URL_STS` needs `https://`');
  const parameters = new URLSearchParams({
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: role,
    RoleSessionName: environment['AWS_ROLE_SESSION_NAME'] || 'authz',
    WebIdentityToken: await secretIn(tokenFile),
  });
  const text = await send('STS', url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: parameters.toString(),
  });
  return readTemporary('STS', {
    AccessKeyId: readElement(text, 'AccessKeyId'),
    SecretAccessKey: readElement(text, 'SecretAccessKey'),
    Token: readElement(text, 'SessionToken'),
    Expiration: readElement(text, 'Expiration'),
  });
}

/** The agent of EKS Pod Identity, or of ECS. */
async function askAgent(written: string, environment: Environment): Promise<Temporary> {
  const url = parseUrl(written, 'AWS_CONTAINER_CREDENTIALS_FULL_URI');
  if (isPlainHttp(url) && !AGENTS.has(url.hostname))
    throw new Error('no credentials: `AWS_CONTAINER_CREDENTIALS_FULL_URI` needs `https://`, or is not of an agent');
  const file = environment['AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE'] || undefined;
  const token = file === undefined ? environment['AWS_CONTAINER_AUTHORIZATION_TOKEN'] : await secretIn(file);
  const text = await send('the agent of the pod', url, {
    method: 'GET',
    headers: token === undefined || token === '' ? {} : { authorization: token },
  });
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    // Reported below.
  }
  return readTemporary('the agent of the pod', (answer ?? {}) as Answer);
}

interface Answer {
  readonly AccessKeyId?: unknown;
  readonly SecretAccessKey?: unknown;
  readonly Token?: unknown;
  readonly Expiration?: unknown;
}

function readTemporary(who: string, { AccessKeyId, SecretAccessKey, Token, Expiration }: Answer): Temporary {
  const expiration = Date.parse(String(Expiration));
  const isText = (value: unknown): value is string => typeof value === 'string' && /^[\x21-\x7e]+$/.test(value);
  if (!isText(AccessKeyId) || !isText(SecretAccessKey) || !isText(Token) || Number.isNaN(expiration))
    throw new Error(`no credentials: ${who} sent none`);
  return { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: Token, expiration };
}

interface Sent {
  readonly method: 'GET' | 'POST';
  readonly headers: Record<string, string>;
  readonly body?: string;
}

/** The body of an answer. Redirects are not followed: the request has a secret. */
async function send(who: string, url: URL, { method, headers, body }: Sent): Promise<string> {
  const limits = limitsWithin(TIMEOUT, LARGEST);
  // An agent is on the link of the pod, and behind no proxy.
  const client = new HttpClient({ origin: url.origin, limits, ...(url.protocol === 'http:' && { proxy: NO_PROXY }) });
  try {
    const sent = { method, url, headers, maxRedirects: 0, maxErrorSize: LARGEST };
    const response = await client.send({ ...sent, ...(body !== undefined && { body: Buffer.from(body) }) });
    const text = response.body.toString('utf8');
    if (response.status === 200) return text;
    const code = readElement(text, 'Code');
    throw new Error(`status ${response.status}${code === undefined ? '' : ` (${code})`}`);
  } catch (error) {
    throw new Error(`no credentials: ${who}: ${(error as Error).message}`);
  } finally {
    await client.close();
  }
}

const NO_PROXY = { url: '', exceptions: undefined };

async function secretIn(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`no credentials: the token \`${file}\` cannot be read: ${explainReadError(error)}`);
  });
  const token = text.trim();
  if (!/^[\x21-\x7e]+$/.test(token)) throw new Error(`no credentials: \`${file}\` has no token`);
  return token;
}

function parseUrl(written: string, name: string): URL {
  if (!URL.canParse(written) || !/^https?:/.test(written)) throw new Error(`no credentials: \`${name}\` is not a URL`);
  return new URL(written);
}

function readElement(xml: string, name: string): string | undefined {
  const start = xml.indexOf(`<${name}>`);
  const end = xml.indexOf(`</${name}>`, start);
  return start < 0 || end < 0 ? undefined : xml.slice(start + name.length + 2, end).trim();
}
