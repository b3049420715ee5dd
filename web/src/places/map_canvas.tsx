// A map's cells on a canvas with one tab stop. The arrow keys move between cells, and a screen reader says the active
// cell (the grid pattern of W3C's ARIA practices).
import {useLayoutEffect, useMemo, useRef} from 'preact/hooks';
import {theme} from '../kept';
import {count} from '../format';
import type {MapLayer, ModelMap} from '../model_map';
import {edgesOf, hit, kLeastWidth, layoutOf, moved, namedRanges, ticksOf, type Spot} from './map_layout';
import {isStale, paint} from './map_paint';
import {nameOf, shapeOf, spoken} from './map_words';

interface Props {
  map: ModelMap;
  layers: MapLayer[];
  spot: Spot;
  pinned: boolean;  // a moving mouse does not change the spot
  onSpot: (spot: Spot) => void;
  onPin: (spot: Spot | null) => void;
  onOpen: (spot: Spot) => void;
}

const part = (share: number): string => `${(100 * share).toFixed(3)}%`;

// Paints again when the width, the theme or the medium changes. Printing waits for these listeners, but not for effects.
function usePainted(map: ModelMap, layers: MapLayer[]) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const layout = useMemo(() => layoutOf(map, layers), [map, layers]);
  useLayoutEffect(() => {
    const its = canvas.current;
    if (!its) return;
    const draw = () => paint(its, map, layers, layout);
    draw();
    const media = ['print', '(prefers-color-scheme: dark)'].map((query) => matchMedia(query));
    const size = new ResizeObserver(() => isStale(its) && draw());
    size.observe(its);
    for (const medium of media) medium.addEventListener('change', draw);
    return () => {
      size.disconnect();
      for (const medium of media) medium.removeEventListener('change', draw);
    };
  }, [map, layers, layout, theme.value]);
  return {canvas, layout};
}

export function MapCanvas({map, layers, spot, pinned, onSpot, onPin, onOpen}: Props) {
  const {canvas, layout} = usePainted(map, layers);
  const {top} = layout;
  const here = useRef(spot), grid = useRef<HTMLDivElement>(null);  // keys may come faster than renders
  here.current = spot;
  const layer = layers[spot.row], column = layer?.at[spot.i] ?? 0;
  const [from, to] = layer ? edgesOf(layout, layer, spot.i) : [0, 0];
  const under = ({clientX, clientY}: MouseEvent): Spot | null => {
    const box = canvas.current?.getBoundingClientRect();
    return box ? hit(layout, layers, (clientX - box.left) / box.width, clientY - box.top) : null;
  };
  const same = (it: Spot) => it.row === spot.row && it.i === spot.i;
  const onKeyDown = (event: KeyboardEvent) => {
    const next = moved(layers, here.current, event.key, event.ctrlKey);
    if (event.key === 'Enter') onOpen(here.current);
    else if (event.key === 'Escape' && pinned) onPin(null);
    else if (next) onSpot(here.current = next);
    else return;
    event.preventDefault();
  };
  // The first click or tap pins a cell, the second one opens it.
  const onClick = (event: MouseEvent) => {
    const its = under(event);
    if (its) (pinned && same(its) ? onOpen : onPin)(its);
  };
  useLayoutEffect(() => {
    if (document.activeElement !== grid.current) return;
    grid.current?.querySelector('.cursor')?.scrollIntoView({block: 'nearest', inline: 'nearest'});
  }, [spot]);
  const height = (row: number) => `${(top[row + 1] ?? 0) - (top[row] ?? 0)}px`;
  return (
    <div class="scroll map plot" role="region" aria-label="Map of layers by M">
      <div class="map-body" style={{minWidth: `${kLeastWidth}px`}}>
        <div class="map-labels" aria-hidden="true">
          {layers.map((its, row) =>
            <div key={row} style={{height: height(row)}} title={shapeOf(its)}>
              <b>{nameOf(map, its)}</b> &times;&nbsp;{its.count}<small>{its.family}</small>
            </div>)}
        </div>
        <div class="map-cells">
          <div class="map-axis" aria-hidden="true">
            {namedRanges(map, layout).map(({name, from, to}) =>
              <span key={name} class="range" style={{left: part(from), width: part(to - from)}}>{name}</span>)}
            {ticksOf(map, layout).map(({m, at}) => <span key={m} class="tick" style={{left: part(at)}} data-end={at > 0.97}>{count(m)}</span>)}
          </div>
          <div ref={grid} class="map-grid" role="grid" tabIndex={0} aria-label="Layers by M" aria-rowcount={layers.length}
            aria-colcount={map.m.length} aria-activedescendant={`cell-${spot.row}-${spot.i}`} aria-readonly="true"
            onKeyDown={onKeyDown} onPointerMove={(event) => {
              const its = event.pointerType === 'mouse' && !pinned ? under(event) : null;
              if (its && !same(its)) onSpot(its);
            }} onClick={onClick}>
            <canvas ref={canvas} style={{height: `${top.at(-1) ?? 0}px`}} aria-hidden="true" />
            {layer &&
              <div role="row" aria-rowindex={spot.row + 1}>
                <div role="gridcell" id={`cell-${spot.row}-${spot.i}`} class={pinned ? 'cursor pinned' : 'cursor'} aria-colindex={column + 1}
                  aria-label={spoken(map, layer, spot.i)}
                  style={{left: part(from), width: part(to - from),
                    top: `${top[spot.row] ?? 0}px`, height: height(spot.row)}} />
              </div>}
          </div>
        </div>
      </div>
    </div>
  );
}
