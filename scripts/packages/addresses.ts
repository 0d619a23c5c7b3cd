/** The public addresses of the project, in the form of package.json. */
export interface Addresses {
  readonly homepage: string;
  /** The address to clone from, as npm writes it: `git+https://…/authz.git`. */
  readonly repository: string;
  /** The page of the issues. */
  readonly bugs: string;
}

/**
 * The addresses that follow from the page of a repository, such as `https://git.example.com/acme/authz`. Hosts of git
 * agree on them. Throws for what is not such a page.
 */
export function addressesOf(page: string): Addresses {
  if (!URL.canParse(page)) throw new Error(`\`${page}\` must be a URL such as https://git.example.com/acme/authz`);
  const url = new URL(page);
  if (url.protocol !== 'https:') throw new Error(`\`${page}\` must begin with https://`);
  // An archive is public, and so is what its manifest names.
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new Error('the URL of the repository must not have a user, a query or a fragment');
  const path = url.pathname.replace(/\/+$/, '').replace(/\.git$/, '');
  if (path === '') throw new Error(`\`${page}\` must have the path of the repository`);
  const home = `${url.origin}${path}`;
  return { homepage: `${home}#readme`, repository: `git+${home}.git`, bugs: `${home}/issues` };
}
