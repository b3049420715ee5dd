// Parses the server's CSV into records by column name. Quoted fields may contain commas, quotes and line ends.
export type CsvRecord = Record<string, string>;

function fieldsOf(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [], field = '', quoted = false;
  for (let i = 0; i < text.length; ++i) {
    const c = text[i];
    if (quoted) {
      if (c !== '"') field += c;
      else if (text[i + 1] === '"') field += text[++i];
      else quoted = false;
    } else if (c === '"') {
      quoted = true;
    } else if (c === ',' || c === '\n') {
      row.push(field);
      field = '';
      if (c === '\n') {
        rows.push(row);
        row = [];
      }
    } else if (c !== '\r') {
      field += c;
    }
  }
  if (field !== '' || row.length > 0) rows.push([...row, field]);
  return rows;
}

export function parseCsv(text: string): CsvRecord[] {
  const [head = [], ...rows] = fieldsOf(text);
  return rows.map((row) => Object.fromEntries(head.map((name, i) => [name, row[i] ?? ''])));
}
