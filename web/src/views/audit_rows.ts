// Rows of the audit as people read them. All of it is pure.
import type {AuditRow} from '../answers';

// A row without a key is of a command at the server; one without an owner, of a key that a restore revoked.
export function writerOf({owner, key}: AuditRow): string {
  if (key === null) return 'the server';
  return owner === null ? `key ${key}` : `${owner}, key ${key}`;
}
