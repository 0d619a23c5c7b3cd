import { hash } from 'bcryptjs';

/** What bcrypt reads of a password, in bytes; it ignores the rest. */
export const LONGEST_PASSWORD = 72;
/** The logarithm of the number of rounds: a verification takes some tens of milliseconds. */
const COST = 10;

/** The hash of a password as `server.adminAPI.adminCredentials.passwordHash` has it: bcrypt's own form, in base64. */
export async function hashPassword(password: string): Promise<string> {
  return Buffer.from(await hash(password, COST)).toString('base64');
}
