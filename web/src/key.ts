// The API key that writes need. It lives as long as the tab and is sent nowhere but to this server.
import {effect, signal} from '@preact/signals';

const kName = 'tunehub.key';

function stored(): string {
  try {
    return sessionStorage.getItem(kName) ?? '';
  } catch {
    return '';  // storage is switched off
  }
}

export const key = signal(stored());

effect(() => {
  const value = key.value;
  try {
    if (value) sessionStorage.setItem(kName, value);
    else sessionStorage.removeItem(kName);
  } catch {
    // Then the key lasts until the page is left.
  }
});
