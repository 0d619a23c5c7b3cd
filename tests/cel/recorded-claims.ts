import type { AuxData } from '../../proto/gen/messages.js';
import { createVerifier } from '../../server/aux-data/verify.js';
import type { RecordedCase } from './recorded-case.js';

/**
 * The claims of a case as conditions see them: in the shape that the server gives them (docs/spec/server.md#claims).
 */
export async function auxDataOf({ jwtClaims, jwtsClaims }: RecordedCase): Promise<unknown> {
  if (jwtClaims === undefined && jwtsClaims === undefined) return undefined;
  const verify = createVerifier({ keySets: [], disableVerification: true, acceptableTimeSkew: 0 });
  const jwts = Object.entries(jwtsClaims ?? {}).map(([name, claims]) => [name, tokenOf(claims)] as const);
  const auxData: AuxData = { jwt: jwtClaims === undefined ? undefined : tokenOf(jwtClaims), jwts: new Map(jwts) };
  return verify(auxData);
}

function tokenOf(claims: object): { readonly token: string; readonly keySetId: string } {
  const segments = [{ alg: 'HS256' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
  return { token: `${segments.join('.')}.c2ln`, keySetId: '' };
}
