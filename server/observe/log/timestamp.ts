/** Writes moments as logs do, `2030-01-31T23:59:59.123Z`: the second is made once, milliseconds are put behind it. */
export class TimestampWriter {
  #second = Number.NaN;
  #text = '';

  /** Milliseconds since 1970. */
  write(moment: number): string {
    const milliseconds = moment % 1000;
    const second = moment - milliseconds;
    if (second !== this.#second) {
      this.#second = second;
      this.#text = new Date(second).toISOString().slice(0, 20);
    }
    return `${this.#text}${milliseconds < 10 ? '00' : milliseconds < 100 ? '0' : ''}${milliseconds}Z`;
  }
}
