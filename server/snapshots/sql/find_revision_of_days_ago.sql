-- The revision that was in force $1 days ago.
SELECT number, to_char(created AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), kind, cause, token
FROM revision WHERE created <= now() - $1 * interval '1 day' ORDER BY number DESC LIMIT 1
