-- A repeated manifest becomes the newest manifest again. Nothing else changes.
INSERT INTO build AS b (name, sha256, kind, api_key, summary, manifest)
VALUES ($1, $2, $3, $4, $5::json, $6)
ON CONFLICT (name, sha256) DO UPDATE SET put = nextval('build_put')
RETURNING b.put, b.name, b.sha256, b.kind, to_char(b.created AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), b.summary, b.xmax = 0
