-- The last revision up to the time $1, or else the last one that is at least $2 days old. If the registry is younger,
-- the first revision.
(SELECT number, token, created, false AS is_first FROM revision
 WHERE created <= coalesce($1::timestamptz, now() - $2 * interval '1 day') ORDER BY number DESC LIMIT 1)
UNION ALL
(SELECT number, token, created, true FROM revision ORDER BY number LIMIT 1)
ORDER BY is_first LIMIT 1
