import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Place } from './place.js';

test('a place is a JSON pointer with percent-encoding, / for the root (docs/spec/policy-language.md#validation-errors)', () => {
  const root = Place.root();
  assert.is(root.text, '/');
  assert.is(new Place(new Place(root, 'a/b~'), '0').text, '/a~1b~0/0');
  assert.is(new Place(root, '').text, '/');
  assert.is(new Place(root, "ä b!'()*$&+:=@").text, '/%C3%A4%20b%21%27%28%29%2A$&+:=@');
  assert.is(new Place(root, '\ud800').text, '/%EF%BF%BD');
});

test.run();
