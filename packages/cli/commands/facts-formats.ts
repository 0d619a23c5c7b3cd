/** How read sets are shown. A file of its own, because completions list them without loading the analysis. */
export const FACTS_FORMATS = ['text', 'json', 'types', 'columns', 'mask'] as const;
