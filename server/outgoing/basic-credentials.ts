/** The header for the name and the password of a URL, which is left without them; undefined if it has none. */
export function takeCredentials(url: URL): { readonly authorization: string } | undefined {
  const { username, password } = url;
  url.username = '';
  url.password = '';
  if (username === '' && password === '') return undefined;
  const decoded = { username: decodeURIComponent(username), password: decodeURIComponent(password) };
  return { authorization: basicAuthorization(decoded) };
}

/** A user name and a password. */
export interface BasicCredentials {
  readonly username: string;
  readonly password: string;
}

export function basicAuthorization({ username, password }: BasicCredentials): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}
