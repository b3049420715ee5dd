// How near a time is to what no kernel can pass. All of it is pure.
import type {Shape} from '../answers';
import {micros, percent} from '../format';

type Roofline = NonNullable<Shape['rooflines']>[number];

// Rows name no product: of several that they may be of, the slowest judges.
export function slowestOf(rooflines: Roofline[] | undefined): Roofline | undefined {
  return rooflines?.reduce<Roofline | undefined>((slowest, it) => (slowest && slowest.us >= it.us ? slowest : it), undefined);
}

// "46 %: 2.10 us on MI300X, by memory"
export function rooflineText(roofline: Roofline, us: number | null): string {
  const {product, us: least, bound} = roofline;
  return `${percent(us ? least / us : null)}: ${micros(least)} us on ${product}, by ${bound}`;
}
