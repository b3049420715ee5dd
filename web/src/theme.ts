// Light or dark: as the system has it, unless somebody chose.
import {effect, signal} from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';
const kName = 'tunehub.theme';

function stored(): Theme {
  try {
    const value = localStorage.getItem(kName);
    return value === 'light' || value === 'dark' ? value : 'system';
  } catch {
    return 'system';
  }
}

export const theme = signal<Theme>(stored());

const system = matchMedia('(prefers-color-scheme: dark)');
const systemDark = signal(system.matches);
system.addEventListener('change', () => {
  systemDark.value = system.matches;
});

export function isDark(): boolean {
  return theme.value === 'dark' || (theme.value === 'system' && systemDark.value);
}

effect(() => {
  const value = theme.value;
  if (value === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = value;
  try {
    if (value === 'system') localStorage.removeItem(kName);
    else localStorage.setItem(kName, value);
  } catch {
    // Then the choice lasts until the page is left.
  }
});
