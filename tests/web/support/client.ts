// Sends requests to a hub as a client's program does.
export type Json = Record<string, unknown>;

const kPatience = 300_000;  // ms; the server makes past points beside its other work

export function clientOf(url: string, key: string) {
  const send = async (path: string, body: BodyInit, type: string, method = 'POST'): Promise<Json> => {
    const response = await fetch(url + path, {method, headers: {Authorization: `Bearer ${key}`, 'Content-Type': type}, body});
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text ? (JSON.parse(text) as Json) : {};
  };
  return {
    send,
    json: (path: string, body: Json) => send(path, JSON.stringify(body), 'application/json'),
    csv: (path: string, body: string) => send(path, body, 'text/csv'),
  };
}

// The lines of a CSV, each by its columns.
export function linesOf(csv: string): Record<string, string>[] {
  const cellsOf = (line: string) => [...`,${line}`.matchAll(/,(?:"((?:[^"]|"")*)"|([^,]*))/g)].map((it) => it[1]?.replaceAll('""', '"') ?? it[2] ?? '');
  const [head = [], ...rows] = csv.trim().split('\n').map(cellsOf);
  return rows.map((row) => Object.fromEntries(head.map((name, i) => [name, row[i] ?? ''])));
}

// Waits until the server has made enough points. It makes them soon after an import or a revert, and at a day's end.
export async function waitForPoints(url: string, {gfx, cu_num}: {gfx: string; cu_num: number}, areEnough: (points: any[]) => boolean): Promise<void> {
  for (const end = Date.now() + kPatience; Date.now() < end; await new Promise((done) => setTimeout(done, 100))) {
    const {points} = (await (await fetch(`${url}/trends?gfx=${gfx}&cu_num=${cu_num}`)).json()) as {points: any[]};
    if (areEnough(points)) return;
  }
  throw new Error(`the server does not make the points of ${gfx}:${cu_num}`);
}
