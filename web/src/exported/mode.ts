// Whether this is the page of a static export: known when it is built, so that the server's page has
// nothing of it.
export const kExported = import.meta.env.MODE === 'export';
