SELECT definition FROM family_version WHERE family = $1 AND version = $2
