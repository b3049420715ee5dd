INSERT INTO api_key (sha256, hint, scope, expires, owner, limits)
VALUES ($1, $2, $3, $4, $5, $6)
RETURNING id, sha256, hint, scope, owner, limits, created, expires, last_used, revoked, successor
