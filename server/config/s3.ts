import { type UsedKey, used } from './key.js';
import { bool, endpoint, name, path } from './value-types.js';

/** How S3-compatible storage is reached. */
export interface S3Config {
  /** Undefined: that of AWS in the region. */
  readonly endpoint: string | undefined;
  /** Undefined: AWS_REGION of the environment, or us-east-1. */
  readonly region: string | undefined;
  /** Whether the bucket is part of the path, not of the host. */
  readonly pathStyle: boolean;
  /** An AWS shared credentials file. Undefined: what the environment has. */
  readonly credentialsFile: string | undefined;
  /** Of the credentials file. Undefined: AWS_PROFILE of the environment, or `default`. */
  readonly profile: string | undefined;
}

/** The blocks that use such storage. */
type Block = 'audit' | 'bundle' | 'tenants';

/** The keys of a block, such as `bundle.s3.endpoint`. */
export function s3Keys<B extends Block>(block: B): S3Keys<B> {
  const keys: { readonly [K in keyof S3Config]: UsedKey<S3Config[K]> } = {
    endpoint: used<string | undefined>(
      endpoint,
      undefined,
      'URL of S3-compatible storage; the endpoint of AWS in the region if not set',
    ),
    region: used<string | undefined>(
      name,
      undefined,
      'region that requests are signed for; `AWS_REGION` of the environment if not set, else `us-east-1`',
    ),
    pathStyle: used(bool, false, 'whether the bucket is part of the path instead of the host name'),
    credentialsFile: used<string | undefined>(
      path,
      undefined,
      'AWS shared credentials file. If not set, `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN` of ' +
        'the environment, the file of `AWS_SHARED_CREDENTIALS_FILE`, or [those of the pod](bundle-sources.md#s3-compatible-storage)',
    ),
    profile: used<string | undefined>(
      name,
      undefined,
      'profile of the credentials file; `AWS_PROFILE` of the environment if not set, else `default`',
    ),
  };
  return Object.fromEntries(Object.entries(keys).map(([key, value]) => [`${block}.s3.${key}`, value])) as S3Keys<B>;
}

type S3Keys<B extends Block> = { readonly [K in keyof S3Config as `${B}.s3.${K}`]: UsedKey<S3Config[K]> };

/** The settings of a block. */
export function s3Of(settings: S3Settings, block: Block): S3Config {
  return {
    endpoint: settings[`${block}.s3.endpoint`],
    region: settings[`${block}.s3.region`],
    pathStyle: settings[`${block}.s3.pathStyle`],
    // An empty path is none.
    credentialsFile: settings[`${block}.s3.credentialsFile`] || undefined,
    profile: settings[`${block}.s3.profile`],
  };
}

type S3Settings = { readonly [K in keyof S3Config as `${Block}.s3.${K}`]: S3Config[K] };
