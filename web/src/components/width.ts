// The width of an element, for pictures that are drawn for it.
import {useEffect, useRef, useState} from 'preact/hooks';

const kWidth = 640;  // pixels, until the page is laid out

// The element `box` and its width in pixels.
export function useWidth() {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(kWidth);
  useEffect(() => {
    const observer = new ResizeObserver(() => setWidth(box.current?.clientWidth || kWidth));
    if (box.current) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  return {box, width};
}
