/** A policy of which a decision considered a rule (docs/spec/server.md#decision-entries, `auditTrail`). */
export interface EffectivePolicy {
  /** As decisions name what matched: `resource.album.vdefault/acme`. */
  readonly policy: string;
  /** Its file, relative to the policy folder; undefined when the bundle does not say. */
  readonly source: string | undefined;
}
