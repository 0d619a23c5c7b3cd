import { valueOfYaml } from '../../packages/yaml-input/index.js';

/**
 * The content of a configuration file as it is written: nothing is substituted or checked. Throws if it is not YAML.
 */
export function writtenConfig(text: string): unknown {
  return valueOfYaml(text);
}
