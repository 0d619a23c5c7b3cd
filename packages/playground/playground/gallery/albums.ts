import album from '../../../../policies/album.yaml';
import albumRoles from '../../../../policies/album_roles.yaml';
import type { Example } from './example.js';

export const albums: Example = {
  name: 'albums',
  title: 'Photo albums',
  about: 'Owners edit their albums, and friends view those that are shared with them.',
  files: [
    { path: 'album.yaml', text: album },
    { path: 'album_roles.yaml', text: albumRoles },
    {
      path: 'album_test.yaml',
      text: `name: albums
principals:
  alice: {id: alice, roles: [user]}
resources:
  public-album: {id: a1, kind: album, attr: {owner: bob, visibility: public}}
  own-album: {id: a2, kind: album, attr: {owner: alice, visibility: private}}
tests:
  - name: Alice views public albums and edits her own
    input: {principals: [alice], resources: [public-album, own-album], actions: [view, edit]}
    expected:
      - principal: alice
        resource: public-album
        actions: {view: EFFECT_ALLOW}
      - principal: alice
        resource: own-album
        actions: {view: EFFECT_ALLOW, edit: EFFECT_ALLOW}
`,
    },
  ],
  request: `{
  "principal": { "id": "alice", "roles": ["user"], "attr": {} },
  "resource": {
    "kind": "album",
    "id": "a1",
    "attr": {
      "owner": "bob",
      "visibility": "friends",
      "friends": ["alice", "carol"]
    }
  },
  "actions": ["view", "edit"]
}
`,
};
