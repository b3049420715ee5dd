// Light or dark: as the system has it, unless somebody chose.
import {effect} from '@preact/signals';
import {kept} from './kept';

const kThemes = ['system', 'light', 'dark'];
export const theme = kept('localStorage', 'tunehub.theme', 'system');

export function themeAfter(it: string): string {
  return kThemes[(kThemes.indexOf(it) + 1) % kThemes.length] ?? 'system';
}

effect(() => {
  document.documentElement.dataset['theme'] = theme.value;
});
