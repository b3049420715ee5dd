SELECT number, family_version, coalesce(body_sha256, '')
FROM revision_family WHERE family = $1 AND number <= $2
ORDER BY number DESC LIMIT 1
