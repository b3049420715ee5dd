// An OpenAPI document as a list of operations. Pure functions.
interface Schema {
  type?: string | string[];
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  default?: unknown;
  $ref?: string;
}
interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: Schema;
}
interface RawOperation {
  summary?: string;
  description?: string;
  tags?: string[];
  parameters?: (Parameter | {$ref: string})[];
  responses?: Record<string, {description?: string; $ref?: string}>;
  security?: unknown[];
}
export interface Document {
  tags: {name: string; description: string}[];
  paths: Record<string, Record<string, RawOperation>>;
  components?: Record<string, Record<string, unknown>>;
}

export interface Operation {
  method: string;
  path: string;
  summary: string;
  description: string;
  needsKey: boolean;
  parameters: Parameter[];
  responses: {status: string; description: string}[];
}
export interface Group {
  tag: string;
  description: string;
  operations: Operation[];
}

function resolve<T>(document: Document, node: T | {$ref: string}): T {
  if (node === null || typeof node !== 'object' || !('$ref' in node) || typeof node.$ref !== 'string') return node as T;
  const [, , kind = '', name = ''] = node.$ref.split('/');
  return (document.components?.[kind]?.[name] ?? {}) as T;
}

function operationOf(document: Document, method: string, path: string, raw: RawOperation): Operation {
  return {
    method,
    path,
    summary: raw.summary ?? '',
    description: raw.description ?? '',
    needsKey: (raw.security ?? []).length > 0,
    parameters: (raw.parameters ?? []).map((parameter) => resolve<Parameter>(document, parameter)),
    responses: Object.entries(raw.responses ?? {}).map(([status, response]) => ({
      status,
      description: resolve<{description?: string}>(document, response as {description?: string}).description ?? '',
    })),
  };
}

// Operations by tag, in the document's order. Only operations whose method, path or texts contain `find`.
export function operationsOf(document: Document, find: string): Group[] {
  const word = find.toLowerCase();
  return document.tags
    .map((tag) => ({
      tag: tag.name,
      description: tag.description,
      operations: Object.entries(document.paths).flatMap(([path, methods]) =>
        Object.entries(methods)
          .filter(([, raw]) => raw.tags?.[0] === tag.name)
          .map(([method, raw]) => operationOf(document, method, path, raw))
          .filter((operation) =>
            `${operation.method} ${operation.path} ${operation.summary} ${operation.description}`.toLowerCase()
              .includes(word)),
      ),
    }))
    .filter((group) => group.operations.length > 0);
}

export function typeText(schema: Schema | undefined): string {
  if (!schema) return '';
  if (schema.enum) return schema.enum.map(String).join(', ');
  const type = Array.isArray(schema.type) ? schema.type.join(' or ')
    : (schema.type ?? schema.$ref?.split('/').pop() ?? '');
  const bounds = schema.maximum !== undefined ? ` ${schema.minimum ?? ''}..${schema.maximum}`
    : schema.minimum !== undefined ? ` from ${schema.minimum}` : '';
  return type + bounds + (schema.default !== undefined ? `, usually ${String(schema.default)}` : '');
}
