/** A policy of which a decision considered a rule (server.md 4.3, `auditTrail`). */
export interface EffectivePolicy {
  /** As decisions name what matched: `resource.album.vdefault/acme`. */
  readonly policy: string;
  /** Its file, relative to the policy folder; undefined when the bundle does not say. */
  readonly source: string | undefined;
}
