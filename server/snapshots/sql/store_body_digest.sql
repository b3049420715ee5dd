-- Checks the token, because the revision may be lost, and another revision may now have its number.
UPDATE revision_family SET body_sha256 = $4
WHERE family = $1 AND number = $2 AND token_of(number) = $3::uuid AND body_sha256 IS NULL
