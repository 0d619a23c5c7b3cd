import type { EngineOptions } from '../../../runtime/engine/index.js';
import type { Attributes } from '../../../runtime/policy/index.js';
import type { DiffOptions } from '../../analysis/diff/options.js';
import { type Config, loadConfig } from '../../../server/config.js';
import type { CommandContext } from '../context.js';
import { InputError } from '../report.js';
import type { EngineFlags } from './engine-flags.js';
import { readAttributes } from './request-files.js';

/** The options of the engine for proofs, from the configuration and from flags, which win. Throws an InputError. */
export function engineOptions(flags: EngineFlags, context: CommandContext): NonNullable<DiffOptions['engine']> {
  const config = readConfig(flags, context);
  if (config?.engine.strictEvaluation === true)
    throw new InputError(
      'strict evaluation is not supported yet: proofs assume default evaluation',
      undefined,
      [],
      flags.config,
    );
  return readOptions(flags, config, context);
}

/** All options that decisions depend on; `traced` is left to the caller. Throws an InputError. */
export function decidingOptions(
  flags: EngineFlags,
  context: CommandContext,
): Omit<EngineOptions, 'clock' | 'traced' | 'plan'> {
  const config = readConfig(flags, context);
  const { strictEvaluation, limits } = config?.engine ?? {};
  return {
    ...readOptions(flags, config, context),
    ...(strictEvaluation && { strictEvaluation }),
    ...(limits && { limits }),
  };
}

function readConfig({ config: file }: EngineFlags, { env }: CommandContext): Config | undefined {
  return file === undefined ? undefined : loadConfig({ file, environment: env }).config;
}

function readOptions(
  flags: EngineFlags,
  config: Config | undefined,
  context: CommandContext,
): NonNullable<DiffOptions['engine']> {
  const { defaultPolicyVersion, defaultScope, lenientScopeSearch, globals, schemas } = flags;
  const { engine } = config ?? {};
  const known = globals === undefined ? (engine?.globals as Attributes | undefined) : readAttributes(globals, context);
  const enforces = schemas === undefined ? config?.schemaEnforcement === 'reject' : schemas === 'enforce';
  return {
    defaultPolicyVersion: defaultPolicyVersion ?? engine?.defaultPolicyVersion ?? 'default',
    defaultScope: defaultScope ?? engine?.defaultScope ?? '',
    lenientScopeSearch: lenientScopeSearch ?? engine?.lenientScopeSearch ?? false,
    schemaEnforcement: enforces ? 'reject' : 'none',
    ...(known !== undefined && { globals: known }),
  };
}
