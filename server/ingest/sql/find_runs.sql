-- The runs in force whose provenance has these members, the latest first.
SELECT id, hash, to_char(started AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS started, to_char(finished AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS finished,
       to_char(received AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS received, to_char(reverted AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS reverted,
       provider, source, error_limit, provenance, active, rows, stored, repeats, owner, trusted
FROM run WHERE active AND provenance @> $1::jsonb ORDER BY id DESC LIMIT $2
