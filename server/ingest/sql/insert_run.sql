-- A start in the future would win over every later measurement. So the hub replaces it with the time of receipt.
INSERT INTO run (hash, started, finished, provider, source, error_limit, provenance,
                 owner, trusted)
VALUES ($1, least(coalesce($2::timestamptz, clock_timestamp()), clock_timestamp()), $3, $4, $5, $6, $7,
        $8, $9)
ON CONFLICT (hash) DO NOTHING
RETURNING id
