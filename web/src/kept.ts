// A choice that outlives the page, in the browser's storage; where that is switched off, it lasts until
// the page is left.
import {effect, signal, type Signal} from '@preact/signals';

function kept(storage: 'localStorage' | 'sessionStorage', name: string, usual: string): Signal<string> {
  const choice = signal(usual);
  const attempt = (use: (storage: Storage) => void) => {
    try {
      use(window[storage]);
    } catch {
      // It is switched off.
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

// The API key that writes need. It lives as long as the tab and is sent nowhere but to this server.
export const key = kept('sessionStorage', 'tunehub.key', '');

// Light or dark: as the system has it, unless somebody chose.
const kThemes = ['system', 'light', 'dark'];
export const theme = kept('localStorage', 'tunehub.theme', 'system');

export const themeAfter = (name: string): string => kThemes[(kThemes.indexOf(name) + 1) % kThemes.length] ?? 'system';
