INSERT INTO family_version (family, version, sha256, definition) VALUES ($1, $2, $3, $4)
