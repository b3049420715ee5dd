// Paints on a plot by uPlot. Places are values on its axes, sizes are CSS pixels, colours are the style sheet's.
import type uPlot from 'uplot';

export type Place = [x: number, y: number];

const kColors = ['text', 'muted', 'line', 'won', 'series-1', 'series-2', 'series-3'] as const;
export type Color = (typeof kColors)[number];
export type Ink = Record<Color, string>;

// Only the colour of an element resolves light-dark().
export function readInk(box: HTMLElement, ink: Ink, isPaper: boolean): void {
  const probe = box.appendChild(document.createElement('i'));
  if (isPaper) probe.style.colorScheme = 'light';
  for (const name of kColors) {
    probe.style.color = `var(--${name})`;
    ink[name] = getComputedStyle(probe).color;
  }
  probe.remove();
}

export class Pen {
  private readonly pixel = devicePixelRatio;  // canvas pixels per CSS pixel
  constructor(private readonly plot: uPlot, private readonly ink: Ink) {
    const {ctx, bbox: {left, top, width, height}} = plot;  // nothing is painted outside the axes
    ctx.beginPath();
    ctx.rect(left, top, width, height);
    ctx.clip();
  }
  private begin(color: Color, alpha = 1): CanvasRenderingContext2D {
    this.plot.ctx.strokeStyle = this.plot.ctx.fillStyle = this.ink[color];
    this.plot.ctx.globalAlpha = alpha;
    this.plot.ctx.beginPath();
    return this.plot.ctx;
  }
  private at([x, y]: Place): Place {
    return [this.plot.valToPos(x, 'x', true), this.plot.valToPos(y, 'y', true)];
  }
  line(places: Place[], color: Color, {width = 1, dash = 0, alpha = 1, fill = false} = {}): void {
    const ctx = this.begin(color, alpha);
    for (const place of places) ctx.lineTo(...this.at(place));
    ctx.lineWidth = width * this.pixel;
    ctx.setLineDash(dash ? [dash * this.pixel] : []);
    if (fill) ctx.fill();
    else ctx.stroke();
  }
  dot(place: Place, radius: number, color: Color, alpha?: number): void {
    const ctx = this.begin(color, alpha);
    ctx.arc(...this.at(place), radius * this.pixel, 0, 2 * Math.PI);
    ctx.fill();
  }
  text(text: string, place: Place, color: Color, align: CanvasTextAlign, up: number): void {
    const ctx = this.begin(color), [x, y] = this.at(place);
    ctx.font = `${12 * this.pixel}px system-ui, sans-serif`;
    Object.assign(ctx, {textAlign: align, textBaseline: 'alphabetic'});
    ctx.fillText(text, x, y - up * this.pixel);
  }
}
