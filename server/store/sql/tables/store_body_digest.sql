UPDATE revision_family SET body_sha256 = $3
WHERE family = $1 AND number = $2 AND body_sha256 IS NULL
