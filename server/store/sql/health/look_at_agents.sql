-- Not seen for $1 seconds, and seen within $2.
SELECT name, host, last_seen
FROM agent
WHERE last_seen <= now() - $1 * interval '1 second' AND last_seen > now() - $2 * interval '1 second'
ORDER BY last_seen DESC, name
