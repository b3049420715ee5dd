-- The run $6 first, then runs that match the filters, the latest first. Filters: $1: number; $2: hash; $3: only
-- smaller numbers; $4: members in the provenance of active runs; $5: text in lower case in source or provenance. A
-- null does not filter.
SELECT id, hash, to_char(started AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS started, to_char(finished AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS finished,
       to_char(received AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS received, to_char(reverted AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS reverted,
       provider, source, error_limit, provenance, active, rows, stored, repeats, owner, trusted, confirmed, job
FROM run
WHERE ($6::bigint IS NOT NULL AND id = $6)
   OR (($1::bigint IS NULL OR id = $1) AND ($2::uuid IS NULL OR hash = $2) AND ($3::bigint IS NULL OR id < $3)
       AND ($4::jsonb IS NULL OR (active AND provenance @> $4))
       AND ($5::text IS NULL OR position($5 IN lower(coalesce(source, ''))) > 0
            OR EXISTS (SELECT FROM jsonb_each_text(provenance) AS p WHERE position($5 IN lower(p.value)) > 0)))
ORDER BY coalesce(id = $6, false) DESC, id DESC LIMIT $7
