import { SignJWT } from 'jose';
import type { Settings } from './settings.js';

/**
 * Example requests as shell commands. The tokens are valid for eight hours. Issuing tokens to real users is not part of
 * this example.
 */
export async function walk(url: string, { secret, pdp }: Settings): Promise<string> {
  const sally = await bearer(secret, 'sally', 'user');
  const adam = await bearer(secret, 'adam', 'admin');
  const json = "-H 'Content-Type: application/json'";
  const hidden = '{"name":"Mary Major","email":"mary@acme.com","private":true}';
  return `The contact API is at ${url}; permissions are decided ${pdp.transport === 'in-process' ? 'in process' : `over ${pdp.transport}`}.

# Sally, a user, lists contacts and reads one
curl -i -H '${sally}' '${url}/contacts'
curl -i -H '${sally}' '${url}/contacts/abc123'

# and may do no more: 403
curl -i -X POST -H '${sally}' ${json} -d '${hidden}' '${url}/contacts/new'
curl -i -X DELETE -H '${sally}' '${url}/contacts/abc123'

# Adam, an admin, makes a private contact, changes one and deletes one
curl -i -X POST -H '${adam}' ${json} -d '${hidden}' '${url}/contacts/new'
curl -i -X PATCH -H '${adam}' ${json} -d '{"email":"john.smith@acme.com"}' '${url}/contacts/abc123'
curl -i -X DELETE -H '${adam}' '${url}/contacts/def789'

# Adam sees the private contact, Sally does not; both see pages
curl -i -H '${adam}' '${url}/contacts?limit=10&offset=0'
curl -i -H '${sally}' '${url}/contacts?limit=10&offset=0'

# Nobody in particular: 401
curl -i '${url}/contacts'`;
}

async function bearer(secret: string, subject: string, role: string): Promise<string> {
  const token = await new SignJWT({ roles: [role] })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(subject)
    .setIssuedAt()
    .setExpirationTime('8h')
    .sign(new TextEncoder().encode(secret));
  return `Authorization: Bearer ${token}`;
}
