import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { ROOT } from '../support/compiled.js';
import { Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import { load } from '../../compiler/load/index.js';
import { parse } from '../../compiler/parse/index.js';
import { findUsages, type Usages } from '../../packages/usages/usages.js';
import { policyWords } from '../../packages/usages/policy-words.js';

/** What an application asks, each list sorted: `album:view`, with `?` for what is computed, and `GET /albums guarded`. */
export interface Found {
  readonly asks: readonly string[];
  readonly routes: readonly string[];
  /** `src/app.ts:3 usage/unknown-kind: ...`. */
  readonly problems: readonly string[];
}

/** Reads an application beside its policies. */
export async function usagesIn(folder: string, policies = join(folder, 'policies')): Promise<Found> {
  const files = load(policies, new Diagnostics()).sources.flatMap((source) => parse(source, new Diagnostics()) ?? []);
  return shown(await findUsages(folder, policyWords(files)), folder);
}

function shown({ asks, routes, problems }: Usages, folder: string): Found {
  return {
    asks: [...new Set(asks.map(({ kind = '?', action = '?' }) => `${kind}:${action}`))].sort(),
    routes: routes.map(({ method, path, guard }) => `${method} ${path} ${guard}`).sort(),
    problems: problems
      .map(({ rule, message, at }) => {
        if ('span' in at) return `${rule}: ${message}`;
        const file = relative(folder, at.getSourceFile().getFilePath());
        return `${file}:${at.getStartLineNumber()} ${rule}: ${message}`;
      })
      .sort(),
  };
}

/** A new folder with files, and the packages of this repository as an application has them installed. Remove it after use. */
export function applicationOf(files: { readonly [path: string]: string }): { readonly folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'authz-usages-'));
  mkdirSync(join(folder, 'node_modules/@types'), { recursive: true });
  symlinkSync(ROOT, join(folder, 'node_modules/authz'));
  for (const name of [
    '@types/express',
    '@types/node',
    '@types/react',
    'express',
    'fastify',
    'hono',
    'react',
    'ts-morph',
  ])
    symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** A policy with rules for these actions. */
export function policyOf(kind: string, actions: readonly string[]): string {
  return `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: ${kind}
  version: default
  rules:
    - actions: ${JSON.stringify(actions)}
      effect: EFFECT_ALLOW
      roles: [user]
`;
}
