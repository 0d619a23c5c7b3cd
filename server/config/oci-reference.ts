/** Where an artifact is in a registry. */
export interface OciReference {
  /** `registry.example.com`, `localhost:5000` */
  readonly host: string;
  /** `policies/shop` */
  readonly repository: string;
  /** `latest` if neither is given. */
  readonly tag: string | undefined;
  /** `sha256:…`: nothing else is accepted. */
  readonly digest: string | undefined;
}

const HOST = /^(?:\[[0-9a-fA-F:.]+\]|[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?)(?::\d{1,5})?$/;
/** The name of a repository, as the OCI distribution specification has it. */
const REPOSITORY = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*$/;
const TAG = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;
const DIGEST = /^sha256:[0-9a-f]{64}$/;
const LONGEST = 1024;

/** Reads `oci://host/repository:tag@sha256:…`, of which tag and digest may be left out; undefined if it is not one. */
export function parseOciReference(written: string): OciReference | undefined {
  if (!written.startsWith('oci://') || written.length > LONGEST) return undefined;
  const rest = written.slice('oci://'.length);
  const slash = rest.indexOf('/');
  const host = rest.slice(0, slash);
  const at = rest.indexOf('@', slash);
  const digest = at < 0 ? undefined : rest.slice(at + 1);
  const name = rest.slice(slash + 1, at < 0 ? undefined : at);
  const colon = name.indexOf(':');
  const repository = colon < 0 ? name : name.slice(0, colon);
  const tag = colon < 0 ? undefined : name.slice(colon + 1);
  const isValid =
    slash > 0 &&
    HOST.test(host) &&
    REPOSITORY.test(repository) &&
    (tag === undefined || TAG.test(tag)) &&
    (digest === undefined || DIGEST.test(digest));
  return isValid ? { host, repository, tag, digest } : undefined;
}

export function writeOciReference({ host, repository, tag, digest }: OciReference): string {
  return `oci://${host}/${repository}${tag === undefined ? '' : `:${tag}`}${digest === undefined ? '' : `@${digest}`}`;
}
