/** The header for the name and the password of a URL, which is left without them; undefined if it has none. */
export function takeCredentials(url: URL): { readonly authorization: string } | undefined {
  const { username, password } = url;
  url.username = '';
  url.password = '';
  if (username === '' && password === '') return undefined;
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}
