-- The run of the number $1, or of the hash $2; those before the number $3; those in force whose provenance has
-- the members $4. Null: any. The latest first.
SELECT id, hash, to_char(started AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS started, to_char(finished AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS finished,
       to_char(received AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS received, to_char(reverted AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS reverted,
       provider, source, error_limit, provenance, active, rows, stored, repeats, owner, trusted
FROM run
WHERE ($1::bigint IS NULL OR id = $1) AND ($2::uuid IS NULL OR hash = $2) AND ($3::bigint IS NULL OR id < $3)
  AND ($4::jsonb IS NULL OR (active AND provenance @> $4))
ORDER BY id DESC LIMIT $5
