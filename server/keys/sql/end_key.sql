-- Revokes the API key $1, or lets it expire in $2 hours if $2 is not 0. $3: the API key that replaces it, or null.
UPDATE api_key
SET revoked = CASE WHEN $2::int = 0 THEN now() END,
    expires = CASE WHEN $2::int = 0 THEN expires ELSE least(expires, now() + make_interval(hours => $2::int)) END,
    successor = coalesce($3::bigint, successor)
WHERE id = $1
RETURNING id, sha256, hint, scope, owner, limits, created, expires, last_used, revoked, successor
