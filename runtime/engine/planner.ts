import type { Planner } from './compiled-bundle.js';
import { FixedResiduals } from './plan-query.js';
import { planResources } from './plan-resources.js';
import { Registry } from './registry.js';

/** The planner that bundles bring. It finds policies by itself, when first asked. */
export const planner: Planner = (bundle, settings) => {
  const facts = { registry: new Registry(bundle, settings), settings, fixed: new FixedResiduals() };
  return (request) => planResources(facts, request);
};
