// Light or dark: as the system has it, unless somebody chose.
import {effect, signal} from '@preact/signals';
import {kept} from './kept';

const kThemes = ['system', 'light', 'dark'];
export const theme = kept('localStorage', 'tunehub.theme', 'system');

export function themeAfter(it: string): string {
  return kThemes[(kThemes.indexOf(it) + 1) % kThemes.length] ?? 'system';
}

const system = matchMedia('(prefers-color-scheme: dark)');
const systemDark = signal(system.matches);
system.addEventListener('change', () => {
  systemDark.value = system.matches;
});

export function isDark(): boolean {
  return theme.value === 'dark' || (theme.value === 'system' && systemDark.value);
}

effect(() => {
  document.documentElement.dataset['theme'] = theme.value;
});
