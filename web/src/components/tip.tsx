// A text beside the element under the pointer or with the focus. Screen readers get the same words by its label.
import {signal} from '@preact/signals';

interface Shown {
  title: string;
  lines: string[];
  at: DOMRect;
}

const shown = signal<Shown | null>(null);

export const hideTip = (): void => {
  shown.value = null;
};

// Handlers of an element with a tip.
export function tipOf(title: string, lines: string[]) {
  const show = ({currentTarget}: {currentTarget: Element}) => {
    shown.value = {title, lines, at: currentTarget.getBoundingClientRect()};
  };
  return {onPointerEnter: show, onFocus: show, onPointerLeave: hideTip, onBlur: hideTip};
}

const kWidth = 320, kGap = 6;  // pixels

export const Tip = () => shown.value && <TipBox {...shown.value} />;

export function TipBox({title, lines, at}: Shown) {
  const isLow = at.bottom > innerHeight * 0.6;
  const left = Math.max(kGap, Math.min(at.left, innerWidth - kWidth - kGap));
  return (
    <div class="tip" aria-hidden="true" style={{left: `${left}px`, maxWidth: `${kWidth}px`,
      ...(isLow ? {bottom: `${innerHeight - at.top + kGap}px`} : {top: `${at.bottom + kGap}px`})}}>
      <strong>{title}</strong>
      {lines.map((line) => <p key={line}>{line}</p>)}
    </div>
  );
}
