-- The last revision that is at least $1 days old. If the registry is younger, the first revision.
(SELECT number, token, created, false AS is_first FROM revision
 WHERE created <= now() - $1 * interval '1 day' ORDER BY number DESC LIMIT 1)
UNION ALL
(SELECT number, token, created, true FROM revision ORDER BY number LIMIT 1)
ORDER BY is_first LIMIT 1
