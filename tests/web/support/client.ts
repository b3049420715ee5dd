// Requests to a hub, as a client's program makes them.
export type Json = Record<string, unknown>;

const kPatience = 300_000;  // ms: the server makes points of the past beside its other work

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

// The lines of a CSV by their columns.
export function linesOf(csv: string): Record<string, string>[] {
  const cellsOf = (line: string) => [...`,${line}`.matchAll(/,(?:"((?:[^"]|"")*)"|([^,]*))/g)].map((it) => it[1]?.replaceAll('""', '"') ?? it[2] ?? '');
  const [head = [], ...rows] = csv.trim().split('\n').map(cellsOf);
  return rows.map((row) => Object.fromEntries(head.map((name, i) => [name, row[i] ?? ''])));
}

// The server makes points by itself: soon after an import and a revert, and when a day has ended.
export async function waitForPoints(url: string, {gfx, cu_num}: {gfx: string; cu_num: number}, areEnough: (points: any[]) => boolean): Promise<void> {
  for (const end = Date.now() + kPatience; Date.now() < end; await new Promise((done) => setTimeout(done, 100))) {
    const {points} = (await (await fetch(`${url}/trends?gfx=${gfx}&cu_num=${cu_num}`)).json()) as {points: any[]};
    if (areEnough(points)) return;
  }
  throw new Error(`the server does not make the points of ${gfx}:${cu_num}`);
}
