INSERT INTO targets_version (version, sha256, definition) VALUES ($1, $2, $3)
