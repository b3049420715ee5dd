// True in a static export's page. The build sets it, so the server's page contains no code of exports.
export const kExported = import.meta.env.MODE === 'export';
