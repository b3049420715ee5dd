-- Revisions below the number $1 that are at least $2 days old. A null means no limit.
SELECT number, to_char(created AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), kind, cause, token
FROM revision
WHERE ($1::bigint IS NULL OR number < $1) AND ($2::integer IS NULL OR created <= now() - $2 * interval '1 day')
ORDER BY number DESC LIMIT $3
