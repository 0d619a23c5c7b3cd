import type * as v from 'valibot';
import { key, optionalKey } from './section.js';
import { bool, endpoint, name, path } from './value-types.js';

/** The keys of S3-compatible storage, such as `bundle.s3.endpoint`. */
export const s3Keys = {
  endpoint: optionalKey(endpoint, 'URL of S3-compatible storage; the endpoint of AWS in the region if not set'),
  region: optionalKey(
    name,
    'region that requests are signed for; `AWS_REGION` of the environment if not set, else `us-east-1`',
  ),
  pathStyle: key(bool, false, 'whether the bucket is part of the path instead of the host name'),
  credentialsFile: optionalKey(
    path,
    'AWS shared credentials file. If not set, `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN` of ' +
      'the environment, the file of `AWS_SHARED_CREDENTIALS_FILE`, or [those of the pod](bundle-sources.md#s3-compatible-storage)',
  ),
  profile: optionalKey(
    name,
    'profile of the credentials file; `AWS_PROFILE` of the environment if not set, else `default`',
  ),
};

/** How S3-compatible storage is reached. */
export type S3Config = { readonly [K in keyof typeof s3Keys]: v.InferOutput<(typeof s3Keys)[K]> };

/** An empty path is none. */
export function withoutEmptyPath<S extends S3Config>(s3: S): S {
  return { ...s3, credentialsFile: s3.credentialsFile || undefined };
}
