// Converts a view's filters to the query of its address. Pure functions.
export type Values = Record<string, string>;

interface Parsed<T extends Values> {
  values: T;
  unknown: string[];  // names in the address that are not filters of this view
}

export function parse<T extends Values>(defaults: T, query: string): Parsed<T> {
  const values: Values = {...defaults};
  const unknown: string[] = [];
  for (const [name, value] of new URLSearchParams(query)) {
    if (Object.hasOwn(defaults, name)) values[name] = value;
    else if (!unknown.includes(name)) unknown.push(name);
  }
  return {values: values as T, unknown};
}

// The values that differ from the defaults, in the order of the defaults.
export function changed<T extends Values>(defaults: T, values: T): Values {
  const out: Values = {};
  for (const [name, value] of Object.entries(defaults)) {
    const now = values[name];
    if (now !== undefined && now !== value) out[name] = now;
  }
  return out;
}

// Omits empty values.
export function print(values: Record<string, string | number | undefined>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined && value !== '') query.append(name, String(value));
  }
  return query.toString();
}

// True if only programs on the same machine reach this host of an address.
export const isLoopback = (host: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(host);
