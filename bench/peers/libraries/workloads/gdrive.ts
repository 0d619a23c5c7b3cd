import { asReceived, createPicker, listed, type Question, type Workload } from '../workload.js';

const KIND = 'file';

/** Folders in folders: the parent of each is the one with half its number. */
const FOLDERS = Array.from({ length: 60 }, (_, index) => `folder-${index}`);

/** A folder and those that it is in. */
function withAncestors(index: number): readonly string[] {
  return index < 0 ? [] : [FOLDERS[index] as string, ...withAncestors(Math.floor(index / 2) - 1)];
}

/** Documents in folders: anyone who can see or owns a folder can also see or owns its contents. */
export const gdrive: Workload = {
  name: 'gdrive',
  title: 'Documents in folders (after gdrive of the Cedar paper)',
  about:
    'Documents are public, or seen by users that have access to them or to a folder that they are in, however deep. Owners of a folder read, write and share what it contains; only the owner of a document transfers it. Written anew from the description of the same benchmark; ancestors as above.',
  questions: (count) => {
    const pick = createPicker(13);
    const users = Array.from({ length: 50 }, (_, index) => ({
      id: `user-${index}`,
      roles: ['user'],
      attr: {
        visible: [...new Set([pick(FOLDERS), pick(FOLDERS), `file-${index * 3}`, `file-${index * 5}`])],
        ownFolders: [...new Set([pick(FOLDERS), pick(FOLDERS)])],
        ownFiles: [`file-${index}`, `file-${index * 2}`, `file-${index * 7}`],
      },
    }));
    const indexes = FOLDERS.map((_, index) => index);
    return asReceived(
      Array.from({ length: count }, (_, index): Question => {
        const principal = pick(users);
        const id =
          index % 4 === 0 ? pick(listed(principal.attr, 'ownFiles')) : `file-${pick(indexes) * 5 + (index % 5)}`;
        const attr = { isPublic: index % 7 === 0, ancestors: [id, ...withAncestors(pick(indexes))] };
        return {
          principal,
          resource: { kind: KIND, id, attr },
          action: pick(['read', 'read', 'write', 'share', 'transfer']),
        };
      }),
    );
  },
  byHand: ({ principal, resource, action }) => {
    if (resource.kind !== KIND) return false;
    const ancestors = listed(resource.attr, 'ancestors');
    const isOwned = (): boolean => {
      const folders = listed(principal.attr, 'ownFolders');
      return listed(principal.attr, 'ownFiles').includes(resource.id) || ancestors.some((one) => folders.includes(one));
    };
    switch (action) {
      case 'read': {
        if (resource.attr.isPublic === true) return true;
        const visible = listed(principal.attr, 'visible');
        return ancestors.some((one) => visible.includes(one)) || isOwned();
      }
      case 'write':
      case 'share':
        return isOwned();
      case 'transfer':
        return listed(principal.attr, 'ownFiles').includes(resource.id);
      default:
        return false;
    }
  },
  policies: {
    'file.yaml': `
apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: ${KIND}
  version: default
  rules:
    - actions: [read]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: { match: { expr: "R.attr.isPublic == true || R.attr.ancestors.hasIntersection(P.attr.visible)" } }
    - actions: [read, write, share]
      effect: EFFECT_ALLOW
      roles: [user]
      condition:
        match: { expr: "R.id in P.attr.ownFiles || R.attr.ancestors.hasIntersection(P.attr.ownFolders)" }
    - actions: [transfer]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: { match: { expr: R.id in P.attr.ownFiles } }
`,
  },
  casl: ({ attr: { visible, ownFolders, ownFiles } }) => [
    { action: 'read', subject: KIND, conditions: { isPublic: true } },
    { action: 'read', subject: KIND, conditions: { ancestors: { $in: visible } } },
    { action: ['read', 'write', 'share'], subject: KIND, conditions: { ancestors: { $in: ownFolders } } },
    { action: ['read', 'write', 'share', 'transfer'], subject: KIND, conditions: { id: { $in: ownFiles } } },
  ],
  cedar: {
    text: `permit(principal is User, action == Action::"read", resource is File) when { resource.isPublic };
permit(principal is User, action == Action::"read", resource is File) when { resource in principal.visible };
permit(principal is User, action in [Action::"read", Action::"write", Action::"share"], resource is File) when {
  resource in principal.ownFolders || principal.ownFiles.contains(resource.id)
};
permit(principal is User, action == Action::"transfer", resource is File) when {
  principal.ownFiles.contains(resource.id)
};`,
    groups: ({ resource }) => ({ resource: listed(resource.attr, 'ancestors') }),
    entities: ['visible', 'ownFolders'],
  },
};
