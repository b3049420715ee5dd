SELECT id, kind, to_char(received AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), receipt FROM batch WHERE run = $1 ORDER BY id
