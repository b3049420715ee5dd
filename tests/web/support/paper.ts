import {execFileSync} from 'node:child_process';

export const kPaperWidth = 718;  // A4 between its usual margins, at 96 to the inch

// The text of each sheet.
export const sheetsOf = (pdf: Buffer) => execFileSync('pdftotext', ['-layout', '-', '-'], {input: pdf}).toString().split('\f').slice(0, -1);
