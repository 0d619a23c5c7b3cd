import type { Planner } from './compiled-bundle.js';
import { planResources } from './plan-resources.js';
import { Registry } from './registry.js';

/** The planner that bundles bring. It finds policies by itself, when first asked. */
export const planner: Planner = (bundle, settings) => {
  const registry = new Registry(bundle, settings);
  return (request) => planResources(registry, settings, request);
};
