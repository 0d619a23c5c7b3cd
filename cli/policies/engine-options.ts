import type { Attributes } from '#runtime/policy';
import type { DiffOptions } from '../../analysis/diff/options.js';
import { loadConfig } from '../../server/config.js';
import { InputError } from '../report.js';
import type { ComparisonOptions } from './comparison-options.js';
import { readAttributes } from './request-files.js';

/** The options of the engine, from the configuration and from flags, which win. Throws an InputError. */
export function engineOptions(options: ComparisonOptions): NonNullable<DiffOptions['engine']> {
  const { defaultPolicyVersion, defaultScope, lenientScopeSearch, globals, schemas } = options;
  const config = options.config === undefined ? undefined : loadConfig({ file: options.config }).config;
  const { engine } = config ?? {};
  if (engine?.strictEvaluation === true)
    throw new InputError(
      'strict evaluation is not known yet: proofs are about default evaluation',
      undefined,
      [],
      options.config,
    );
  const known = globals === undefined ? (engine?.globals as Attributes | undefined) : readAttributes(globals);
  const enforces = schemas === undefined ? config?.schemaEnforcement === 'reject' : schemas === 'enforce';
  return {
    defaultPolicyVersion: defaultPolicyVersion ?? engine?.defaultPolicyVersion ?? 'default',
    defaultScope: defaultScope ?? engine?.defaultScope ?? '',
    lenientScopeSearch: lenientScopeSearch ?? engine?.lenientScopeSearch ?? false,
    schemaEnforcement: enforces ? 'reject' : 'none',
    ...(known !== undefined && { globals: known }),
  };
}
