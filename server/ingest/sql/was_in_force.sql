-- True if the file with the digest $2 was ever in force for the family $1. $1 = 0 means targets.json.
SELECT EXISTS (SELECT FROM family_version WHERE family = $1 AND sha256 = $2)
    OR EXISTS (SELECT FROM targets_version WHERE $1 = 0 AND sha256 = $2)
