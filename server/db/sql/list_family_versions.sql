SELECT version FROM family_version WHERE family = $1 ORDER BY version
