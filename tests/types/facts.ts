import { absent, type FactsRequest, type ReadAttributes } from '../../runtime/facts/index.js';

/** As `authzc facts -o types` writes it. */
interface Facts {
  album: {
    edit: {
      readonly resource: ReadAttributes<{ readonly owner: string }, 'owner' | 'region'>;
      readonly principal: Record<never, never>;
      readonly claims: ReadAttributes<unknown, 'sub'>;
    };
    'comment:*': {
      readonly resource: Record<never, never>;
      readonly principal: ReadAttributes<unknown, 'team'>;
      readonly claims: Record<never, never>;
    };
  };
}

const principal = { id: 'alice', roles: ['user'] };
const attr = { owner: 'alice', region: 'eu' };
const auxData = { jwt: { sub: 'alice' } };
const album = { kind: 'album', id: '1' } as const;

/** Requests with everything that is read; what a resource does not have is undefined, and more may be sent. */
export const complete: FactsRequest<Facts, 'album', 'edit'>[] = [
  { principal, resource: { ...album, attr }, action: 'edit', auxData },
  { principal, resource: { ...album, attr: { ...attr, region: undefined, title: 'x' } }, action: 'edit', auxData },
];
export const globbed: FactsRequest<Facts, 'album', 'comment:*'> = {
  principal: { ...principal, attr: { team: 'a' } },
  resource: album,
  action: 'comment:create',
};

/** Requests that leave out something that is read, or have another type, name or action. */
export const incomplete: FactsRequest<Facts, 'album', 'edit'>[] = [
  // @ts-expect-error region is missing
  { principal, resource: { ...album, attr: { owner: 'alice' } }, action: 'edit', auxData },
  // @ts-expect-error all attributes are missing
  { principal, resource: album, action: 'edit', auxData },
  // @ts-expect-error a claim is missing
  { principal, resource: { ...album, attr }, action: 'edit', auxData: { jwt: {} } },
  // @ts-expect-error all claims are missing
  { principal, resource: { ...album, attr }, action: 'edit' },
  // @ts-expect-error owner is a string by its schema
  { principal, resource: { ...album, attr: { ...attr, owner: 1 } }, action: 'edit', auxData },
  // @ts-expect-error another action reads something else
  { principal, resource: { ...album, attr }, action: 'view', auxData },
  // @ts-expect-error another kind
  { principal, resource: { kind: 'photo', id: '1', attr }, action: 'edit', auxData },
];

/** Attributes that sources provide may be left out; the others may not. */
export const provided: FactsRequest<Facts, 'album', 'edit', 'resource.attr.owner' | 'resource.attr.region'> = {
  principal,
  resource: album,
  action: 'edit',
  auxData,
};
/** The caller may know that there is none, or send a value of the right type. */
export const absentOwner: FactsRequest<Facts, 'album', 'edit', 'resource.attr.owner' | 'resource.attr.region'>[] = [
  { principal, resource: { ...album, attr: { owner: absent } }, action: 'edit', auxData },
  { principal, resource: { ...album, attr: { owner: 'alice', region: absent } }, action: 'edit', auxData },
  // @ts-expect-error owner is a string by its schema
  { principal, resource: { ...album, attr: { owner: 1 } }, action: 'edit', auxData },
];
export const absentHere: FactsRequest<Facts, 'album', 'edit'>[] = [
  // @ts-expect-error no source provides owner, so it is undefined if there is none
  { principal, resource: { ...album, attr: { owner: absent, region: 'eu' } }, action: 'edit', auxData },
];
export const notProvided: FactsRequest<Facts, 'album', 'edit', 'resource.attr.owner' | 'principal.attr.region'>[] = [
  { principal, resource: { ...album, attr: { region: 'eu' } }, action: 'edit', auxData },
  // @ts-expect-error region is missing
  { principal, resource: album, action: 'edit', auxData },
];
