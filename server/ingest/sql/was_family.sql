SELECT EXISTS (SELECT FROM family_version WHERE family = $1 AND sha256 = $2)
