import { type Command, Option } from 'commander';

/** Flags for the options of the engine, which win over the configuration. */
export interface EngineFlags {
  /** A file. */
  readonly config?: string;
  readonly defaultPolicyVersion?: string;
  readonly defaultScope?: string;
  readonly lenientScopeSearch?: boolean;
  /** A file. */
  readonly globals?: string;
  readonly schemas?: 'enforce' | 'ignore';
}

/** Adds these flags to a command. What two of them mean depends on the command. */
export function addEngineFlags(
  command: Command,
  texts: { readonly globals: string; readonly schemas: string },
): Command {
  return command
    .option('--config <file>', 'server configuration to take the engine options from')
    .option('--default-policy-version <version>', 'policy version of requests without one')
    .option('--default-scope <scope>', 'scope of requests without one')
    .option('--lenient-scope-search', 'search parent scopes if a scope has no policy')
    .option('--globals <file>', texts.globals)
    .addOption(new Option('--schemas <mode>', texts.schemas).choices(['enforce', 'ignore']));
}
