-- $1: the digest of $2. Inserts nothing if the database already has this digest.
INSERT INTO models_version (version, sha256, definition)
SELECT (SELECT coalesce(max(version), 0) + 1 FROM models_version), $1, $2
ON CONFLICT DO NOTHING
