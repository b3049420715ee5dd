// Writes to a hub, as a program of somebody's makes them.
export type Json = Record<string, unknown>;

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
