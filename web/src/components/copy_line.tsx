// A line for a shell, and a button that copies it.
import {useState} from 'preact/hooks';

export function CopyLine({label, text}: {label: string; text: string}) {
  const [done, setDone] = useState('');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setDone('Copied');
    } catch {
      setDone('Select the line and copy it');  // no clipboard without https
    }
  };
  return (
    <div class="copy-line">
      <code role="group" aria-label={label} tabIndex={0}>{text}</code>
      <button type="button" onClick={() => void copy()} aria-label={`Copy: ${label}`}>Copy</button>
      <span role="status">{done}</span>
    </div>
  );
}
