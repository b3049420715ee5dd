// A choice in the browser's storage. If storage is disabled, the choice lasts until the page closes.
import {effect, signal, type Signal} from '@preact/signals';

function kept(storage: 'localStorage' | 'sessionStorage', name: string, usual: string): Signal<string> {
  const choice = signal(usual);
  const attempt = (use: (storage: Storage) => void) => {
    try {
      use(window[storage]);
    } catch {
      // Storage is disabled.
    }
  };
  attempt((storage) => {
    choice.value = storage.getItem(name) ?? usual;
  });
  effect(() => {
    const value = choice.value;
    attempt((storage) => (value === usual ? storage.removeItem(name) : storage.setItem(name, value)));
  });
  return choice;
}

// The API key that writes need. The browser forgets it when the tab closes, and the page sends it only to this server.
export const key = kept('sessionStorage', 'tunehub.key', '');

// The theme: the system's, unless the user chose one.
const kThemes = ['system', 'light', 'dark'];
export const theme = kept('localStorage', 'tunehub.theme', 'system');

export const themeAfter = (name: string): string => kThemes[(kThemes.indexOf(name) + 1) % kThemes.length] ?? 'system';
