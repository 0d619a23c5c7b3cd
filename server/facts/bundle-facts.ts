import { type CompiledBundle, createEngine, type EngineOptions } from '../../runtime/engine/index.js';
import { systemClock } from '../../runtime/engine/parts.js';
import { type FactDeciders, makeDeciders } from '../../runtime/facts/deciders.js';
import { ConfigError } from '../config/config-error.js';

/** Told if the engine contradicts what was concluded from incomplete facts, which is a bug. */
export type OnDisagreement = (kind: string, action: string) => void;

/**
 * Creates the engine of a bundle with what decides while facts are unknown. Throws a ConfigError if the bundle was not
 * compiled for that.
 */
export function makeFactDeciders(
  policies: CompiledBundle,
  options: EngineOptions,
  onDisagreement: OnDisagreement,
): FactDeciders {
  if (policies.partial === undefined || policies.facts === undefined)
    throw new ConfigError('facts of sources need policies that were compiled with `authzc compile --facts`', 'sources');
  return makeDeciders({
    policies,
    options,
    clock: options.clock ?? systemClock(),
    create: (own) => createEngine(policies, own),
    onDisagreement: ({ resource, action }) => onDisagreement(resource.input.kind, action),
  });
}
