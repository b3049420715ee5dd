SELECT EXISTS (SELECT FROM targets_version WHERE sha256 = $1)
