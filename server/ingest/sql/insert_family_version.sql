WITH recorded AS (
  INSERT INTO family_version (family, version, sha256, definition) VALUES ($1, $2, $3, $4)
)
UPDATE family SET version = $2 WHERE id = $1
