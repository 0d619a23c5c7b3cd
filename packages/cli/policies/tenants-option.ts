import { Option } from 'commander';

/** The roles of tenants, as the command line names them. */
export interface TenantsOption {
  /** A folder, or the document of one tenant. */
  readonly tenants?: string;
}

/** The option `--tenants`. */
export function tenantsOption(): Option {
  return new Option('--tenants <path>', 'tenant roles: a folder of documents, or one document, YAML or JSON');
}
