/** The place of a value in the attributes. Its string is only created for a violation. */
export class Place {
  private pointer: string | undefined;

  constructor(
    private readonly parent: Place | undefined,
    private readonly name: string,
  ) {}

  /** The whole of the attributes. */
  static root(): Place {
    return new Place(undefined, '');
  }

  /**
   * The place as violations name it: a JSON pointer with percent-encoding, `/` for the root
   * (docs/spec/policy-language.md#validation-errors).
   */
  get text(): string {
    return this.pointerText() || '/';
  }

  // The string of a parent is kept, as siblings share it.
  private pointerText(): string {
    if (this.parent === undefined) return '';
    this.pointer ??= `${this.parent.pointerText()}/${escaped(this.name)}`;
    return this.pointer;
  }
}

function escaped(name: string): string {
  if (PLAIN.test(name)) return name;
  const token = name
    .replaceAll('~', '~0')
    .replaceAll('/', '~1')
    .replace(/\p{Cs}/gu, '\ufffd');
  return encodeURIComponent(token)
    .replace(/[!'()*]/g, percent)
    .replace(/%(?:24|26|2B|3A|3D|40)/g, decodeURIComponent);
}

const PLAIN = /^[\w.-]*$/;

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
