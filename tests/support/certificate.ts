import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** A certificate and its key, in PEM. */
export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
  readonly name: string;
  readonly privateKey: KeyObject;
}

/**
 * Creates a certificate (X.509 v3, P-256) for `localhost` and the loopback addresses, signed by another one or by
 * itself. Tests need distinct certificates without tools other than Node.
 */
export function makeCertificate(name: string, issuer?: TestCertificate): TestCertificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = seq(oid('2a8648ce3d040302'));
  const names = seq(
    tagged(2, Buffer.from('localhost')),
    tagged(7, Buffer.from([127, 0, 0, 1])),
    tagged(7, Buffer.concat([Buffer.alloc(15), Buffer.from([1])])),
  );
  const extensions = seq(
    seq(oid('551d11'), der(0x04, names)),
    seq(
      oid('551d13'),
      der(0x01, Buffer.from([0xff])),
      der(0x04, seq(...(issuer === undefined ? [der(0x01, Buffer.from([0xff]))] : []))),
    ),
  );
  const body = seq(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    nameOf(issuer?.name ?? name),
    seq(der(0x18, Buffer.from('20000101000000Z')), der(0x18, Buffer.from('21000101000000Z'))),
    nameOf(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  );
  const signature = sign('sha256', body, issuer?.privateKey ?? privateKey);
  const cert = seq(body, algorithm, der(0x03, Buffer.concat([Buffer.from([0]), signature])));
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${(cert.toString('base64').match(/.{1,64}/g) as string[]).join('\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    name,
    privateKey,
  };
}

function nameOf(name: string): Buffer {
  return seq(der(0x31, seq(oid('550403'), der(0x0c, Buffer.from(name)))));
}

function tagged(number: number, content: Buffer): Buffer {
  return der(0x80 | number, content);
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'));
}

function seq(...parts: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
