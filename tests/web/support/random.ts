// Random numbers from a seed (mulberry32).
export class Random {
  #state: number;
  constructor(seed: number) {
    this.#state = seed | 0;
  }
  // At least 0 and below 1.
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let it = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    it = (it + Math.imul(it ^ (it >>> 7), 61 | it)) ^ it;
    return ((it ^ (it >>> 14)) >>> 0) / 2 ** 32;
  }
  // A whole number within [from, to].
  whole(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }
  chance(share: number): boolean {
    return this.next() < share;
  }
  pick<T>(of: readonly T[]): T {
    return of[this.whole(0, of.length - 1)] as T;
  }
  // At most `most` elements, in random order.
  some<T>(of: readonly T[], most: number): T[] {
    const left = [...of];
    return Array.from({length: Math.min(most, left.length)}, () => left.splice(this.whole(0, left.length - 1), 1)[0] as T);
  }
  // Log-uniform, so that small and large numbers are equally frequent. Has `digits` decimals.
  size(from: number, to: number, digits: number): number {
    return Number((from * (to / from) ** this.next()).toFixed(digits));
  }
}
