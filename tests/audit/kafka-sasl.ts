import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';

/** The one user of a broker. */
export interface SaslUser {
  readonly mechanism: 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512';
  readonly username: string;
  readonly password: string;
  /** What a broker that lies answers, in place of what it should. */
  readonly lie?: string;
}

/** The broker's part of an authentication over one connection: PLAIN (RFC 4616) or SCRAM (RFC 5802). */
export class SaslServer {
  isDone = false;
  #first: { readonly bare: string; readonly answer: string; readonly salt: Buffer } | undefined;

  constructor(private readonly user: SaslUser) {}

  /** The answer to a message; undefined refuses it. */
  answer(message: Buffer): Buffer | undefined {
    if (this.user.lie !== undefined) return Buffer.from(this.user.lie);
    return this.user.mechanism === 'PLAIN' ? this.#plain(message) : this.#scram(message.toString('utf8'));
  }

  #plain(message: Buffer): Buffer | undefined {
    const { username, password } = this.user;
    this.isDone = message.toString('utf8') === `\0${username}\0${password}`;
    return this.isDone ? Buffer.alloc(0) : undefined;
  }

  #scram(message: string): Buffer | undefined {
    if (this.#first === undefined) {
      const [, bare = '', name = '', nonce = ''] = /^n,,(n=([^,]*),r=(.+))$/.exec(message) ?? [];
      if (name !== this.user.username) return undefined;
      const salt = randomBytes(16);
      const answer = `r=${nonce}${randomBytes(9).toString('base64')},s=${salt.toString('base64')},i=4096`;
      this.#first = { bare, answer, salt };
      return Buffer.from(answer);
    }
    const { bare, answer, salt } = this.#first;
    const hash = this.user.mechanism === 'SCRAM-SHA-256' ? 'sha256' : 'sha512';
    const hmac = (key: Buffer, text: string): Buffer => createHmac(hash, key).update(text).digest();
    const salted = pbkdf2Sync(this.user.password, salt, 4096, hash === 'sha256' ? 32 : 64, hash);
    const [, unproven = '', proof = ''] = /^(c=biws,r=[^,]+),p=(.+)$/.exec(message) ?? [];
    const exchange = `${bare},${answer},${unproven}`;
    const stored = createHash(hash).update(hmac(salted, 'Client Key')).digest();
    const signature = hmac(stored, exchange);
    const key = Buffer.from(proof, 'base64').map((byte, index) => byte ^ (signature[index] ?? 0));
    this.isDone =
      unproven.includes(answer.split(',')[0] as string) && createHash(hash).update(key).digest().equals(stored);
    return this.isDone ? Buffer.from(`v=${hmac(hmac(salted, 'Server Key'), exchange).toString('base64')}`) : undefined;
  }
}
