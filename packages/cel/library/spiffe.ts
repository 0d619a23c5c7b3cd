import { global, member, row, rowAs, type FunctionSection } from './function.js';
import { bool, listType, spiffeID, spiffeMatcher, spiffeTrustDomain, string } from './types.js';

/** docs/spec/conditions.md#path-and-spiffe-functions. */
export const spiffe: FunctionSection = {
  title: 'SPIFFE',
  intro: 'SPIFFE IDs identify workloads.',
  rows: [
    row(
      'spiffeID',
      { meaning: 'Parses a SPIFFE ID.', examples: [['spiffeID("spiffe://example.org/web").path()', '"/web"']] },
      global([string], spiffeID),
    ),
    row(
      'spiffeTrustDomain',
      { meaning: 'Parses a trust domain.', examples: [['spiffeTrustDomain("example.org").name()', '"example.org"']] },
      global([string], spiffeTrustDomain),
    ),
    row(
      'spiffeMatchAny',
      {
        meaning: 'Returns a matcher for every ID.',
        examples: [['spiffeMatchAny().matchesID("spiffe://example.org/web")', 'true']],
      },
      global([], spiffeMatcher),
    ),
    row(
      'spiffeMatchExact',
      {
        meaning: 'Returns a matcher for one ID.',
        examples: [['spiffeMatchExact("spiffe://example.org/web").matchesID("spiffe://example.org/db")', 'false']],
      },
      global([spiffeID], spiffeMatcher),
      global([string], spiffeMatcher),
    ),
    row(
      'spiffeMatchOneOf',
      {
        meaning: 'Returns a matcher for the IDs of a list.',
        examples: [['spiffeMatchOneOf(["spiffe://example.org/web"]).matchesID("spiffe://example.org/web")', 'true']],
      },
      global([listType(spiffeID)], spiffeMatcher),
      global([listType(string)], spiffeMatcher),
    ),
    row(
      'spiffeMatchTrustDomain',
      {
        meaning: 'Returns a matcher for the IDs of a trust domain.',
        examples: [['spiffeMatchTrustDomain("example.org").matchesID("spiffe://example.org/web")', 'true']],
      },
      global([spiffeTrustDomain], spiffeMatcher),
      global([string], spiffeMatcher),
    ),
    rowAs(
      'path',
      'spiffePath',
      { meaning: 'Returns the path of an ID.', examples: [['spiffeID("spiffe://example.org/a/b").path()', '"/a/b"']] },
      member([spiffeID], string),
    ),
    row(
      'trustDomain',
      {
        meaning: 'Returns the trust domain of an ID.',
        examples: [['spiffeID("spiffe://example.org/a").trustDomain().name()', '"example.org"']],
      },
      member([spiffeID], spiffeTrustDomain),
    ),
    row(
      'isMemberOf',
      {
        meaning: 'Returns whether an ID belongs to a trust domain.',
        examples: [['spiffeID("spiffe://example.org/a").isMemberOf(spiffeTrustDomain("example.org"))', 'true']],
      },
      member([spiffeID, spiffeTrustDomain], bool),
    ),
    rowAs(
      'name',
      'spiffeName',
      {
        meaning: 'Returns the name of a trust domain.',
        examples: [['spiffeTrustDomain("spiffe://example.org").name()', '"example.org"']],
      },
      member([spiffeTrustDomain], string),
    ),
    row(
      'matchesID',
      {
        meaning: 'Returns whether a matcher matches an ID.',
        examples: [['spiffeMatchAny().matchesID(spiffeID("spiffe://example.org"))', 'true']],
      },
      member([spiffeMatcher, spiffeID], bool),
      member([spiffeMatcher, string], bool),
    ),
  ],
};
