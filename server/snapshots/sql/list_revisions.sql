SELECT number, to_char(created AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), kind, cause, token
FROM revision WHERE number < $1 ORDER BY number DESC LIMIT $2
