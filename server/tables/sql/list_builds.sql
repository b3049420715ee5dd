SELECT put, name, sha256, kind, to_char(created AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), summary
FROM build WHERE put < $1 AND ($2 = '' OR name = $2) AND ($4 = '' OR sha256 = $4)
ORDER BY put DESC LIMIT $3
