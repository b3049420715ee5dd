SELECT put, name, sha256, kind, to_char(created AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), summary
FROM build WHERE name = $1 AND ($2 = '' OR sha256 = $2)
ORDER BY put DESC LIMIT 1
