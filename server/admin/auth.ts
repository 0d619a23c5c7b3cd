import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { RpcError } from '../service/rpc-error.js';

/** The one user of the admin API (docs/spec/server.md#admin-authentication). */
export interface AdminCredentials {
  readonly username: string;
  /** Hash in bcrypt's own form, `$2y$10$...`. */
  readonly passwordHash: string;
}

/** How many attempts may wait for the one that is being verified; more are rejected. */
const MAX_WAITING = 8;
/** How many times as long as an attempt took the next one waits: guessing uses a fifth of a core at most. */
const PAUSE_FACTOR = 4;

/**
 * Authenticates callers of the admin API. Hashing a password costs tens of milliseconds of CPU by design. So that
 * attempts cannot keep the server busy, they are verified one at a time with pauses in between, and the credentials
 * that were right last are accepted without hashing.
 */
export class AdminAuthenticator {
  readonly #secret = randomBytes(32);
  #known: Buffer | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(private readonly credentials: AdminCredentials) {}

  /**
   * Verifies an `authorization` header, undefined if there is none. Rejects with an RpcError (code 16, with the
   * messages of docs/spec/server.md#errors; code 8 if too many attempts wait) unless it has Basic credentials with the
   * user's name and password. The time it takes does not reveal which of the two is wrong.
   */
  async authenticate(header: string | undefined): Promise<void> {
    const { username, password } = readCredentials(header);
    const digest = this.#digestOf(`${username.length}:${username}${password}`);
    if (this.#known !== undefined && timingSafeEqual(digest, this.#known)) return;
    if (this.#waiting >= MAX_WAITING) throw new RpcError('resource_exhausted', 'too many attempts');
    if (!(await this.#inTurn(() => this.#isRight(username, password)))) throw refused('incorrect credentials');
    this.#known = digest;
  }

  async #isRight(username: string, password: string): Promise<boolean> {
    const isUser = timingSafeEqual(this.#digestOf(username), this.#digestOf(this.credentials.username));
    // Loaded only by servers that have an admin API.
    const { compare } = await import('bcryptjs');
    const isPassword = await compare(password, this.credentials.passwordHash);
    return isUser && isPassword;
  }

  /** Runs one attempt after those before it, and makes the next one wait. */
  async #inTurn<T>(attempt: () => Promise<T>): Promise<T> {
    const earlier = this.#turn;
    const run = async (): Promise<{ readonly value: T; readonly took: number }> => {
      await earlier;
      const start = performance.now();
      const value = await attempt();
      return { value, took: performance.now() - start };
    };
    this.#waiting++;
    const running = run().finally(() => this.#waiting--);
    this.#turn = running.then(
      ({ took }) => sleep(took * PAUSE_FACTOR),
      () => {},
    );
    return (await running).value;
  }

  /** All digests have the same length, whatever the text, and reveal nothing without the secret. */
  #digestOf(text: string): Buffer {
    return createHmac('sha256', this.#secret).update(text).digest();
  }
}

interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** A password may contain colons, a user name may not. */
function readCredentials(header: string | undefined): Credentials {
  if (header === undefined || header === '') throw refused('authentication required');
  const [, scheme = '', encoded = ''] = /^(\S+) *(.*)$/s.exec(header) ?? [];
  if (scheme.toLowerCase() !== 'basic') throw refused('unsupported authentication method');
  if (!BASE64.test(encoded)) throw refused('failed to decode credentials');
  const decoded = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  if (colon < 0) throw refused('invalid credentials');
  return { username: decoded.slice(0, colon), password: decoded.slice(colon + 1) };
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function refused(message: string): RpcError {
  return new RpcError('unauthenticated', message);
}
