-- The run of this number ($1), and those with a text ($2, in small letters) in their source or in what is
-- known of where they came from; the latest first.
SELECT id, hash, to_char(started AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS started, to_char(finished AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS finished,
       to_char(received AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS received, to_char(reverted AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS reverted,
       provider, source, error_limit, provenance, active, rows, stored, repeats, owner, trusted
FROM run
WHERE id = $1 OR position($2 IN lower(coalesce(source, ''))) > 0
   OR EXISTS (SELECT FROM jsonb_each_text(provenance) AS p WHERE position($2 IN lower(p.value)) > 0)
ORDER BY id = $1 DESC, id DESC
LIMIT $3
