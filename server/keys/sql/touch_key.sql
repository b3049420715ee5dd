-- Writes at most once a minute, since only people read a key's last use.
UPDATE api_key SET last_used = now()
WHERE id = $1 AND (last_used IS NULL OR last_used < now() - interval '1 minute')
